import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from '@remora/protocol'
import { expect, it } from 'vitest'
import { type Stage, openLiveStage } from './live.test-data.ts'
import { type Asked, OtherProcess, Phone, type Racer, type Told, pressAtKeyboard } from './races.test-data.ts'

/** Few enough for every test run. The whole test is REMORA_RACES=1000. */
const rounds = Number(process.env['REMORA_RACES'] ?? 60)
const seed = Number(process.env['REMORA_SEED'] ?? 11)
/** The option that only the keyboard presses, so that the agent's log shows who answered. */
const byKeyboard = { key: '2', choice: 2 }
const expectedChoices: Readonly<Record<string, number>> = { allow: 1, deny: 3 }
/** All clients answer within this time. */
const spreadMs = 30

/** A pseudo-random generator, so that every run has the same races. */
function dice(from: number): () => number {
  let state = from
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

interface Raced extends Asked {
  readonly told: readonly Told[]
}

it(`has one effect for each of ${rounds} dialogs on a terminal that phones, a process, the keyboard and time race to answer`, async () => {
  await using stage = await openLiveStage()
  const random = dice(seed)
  const phones = [await Phone.open(stage, true), await Phone.open(stage, false)]
  const other = await OtherProcess.start(join(stage.remoraHome, 'ledger.db'))
  const racers: Racer[] = [...phones, other]
  const info = await stage.start()
  await stage.until('idle', () => stage.server.context.live.find(info.id)?.state === 'idle')
  await limitTime(stage, random)
  await stage.server.context.live.submit({
    id: 'ask',
    client: 'test',
    target: info,
    body: { kind: 'prompt', content: [{ type: 'text', text: `ask word ${rounds}` }] },
  })

  const races: Raced[] = []
  let pressed = 0
  const known = new Set<string>()
  const race = async ({ key, ask }: Asked): Promise<void> => {
    // The rules are read at the next ask.
    await limitTime(stage, random)
    const chosen = racers.filter(() => random() < 0.6)
    const keyboard = random() < 0.5 || (chosen.length === 0 && !isShort(ask))
    const answers = chosen.map(async (racer) => {
      const option = random() < 0.5 ? 'allow' : 'deny'
      await sleep(random() * spreadMs)
      return racer.answer(key, ask, option)
    })
    // Starting tmux takes a while, so the keyboard starts early.
    const typing = keyboard && sleep(random() < 0.5 ? 0 : random() * spreadMs).then(() => press())
    races.push({ key, ask, told: await Promise.all(answers) })
    await typing
    let patience = Date.now() + 2_000
    await stage.until(`the end of ${ask.id}`, async () => {
      if (phones.every((phone) => phone.settled(ask).length > 0)) return true
      // A user whose key had no effect sees the dialog and presses it again.
      if (keyboard && Date.now() > patience) {
        patience += 2_000
        await press()
      }
      return false
    })
  }
  const press = async (): Promise<void> => {
    pressed++
    await pressAtKeyboard(stage, info.id, byKeyboard.key)
  }
  // A key that was too late for its dialog answers the next one, which may close before another client gets it.
  for (;;) {
    const next = await stage.until('the next ask, or the end', async () => {
      const found = phones[0]!.asked().find(({ ask }) => !known.has(ask.id))
      return found ?? ((await choices(stage)).length >= rounds && 'end')
    })
    if (next === 'end') break
    known.add(next.ask.id)
    await stage.until('the same ask', () => phones[1]!.asked().some(({ ask }) => ask.id === next.ask.id))
    await race(next)
  }

  const { ledger, live } = stage.server.context
  await stage.until('its end', () => live.find(info.id)?.state === 'idle')
  const made = await choices(stage)
  expect(made.map(({ command }) => command)).toEqual(
    Array.from({ length: rounds }, (_, index) => `touch word-${rounds - index}`),
  )
  const audit = await ledger.audit.read({ limit: 100_000 })
  expect(await ledger.audit.verify()).toEqual({ entries: audit.length })
  const late = new Set(
    audit.filter(({ what }) => what === 'not carried').map(({ detail }) => (detail as { ask: string }).ask),
  )
  const winners = new Map<string, number>()
  for (const { key, ask, told } of races) {
    const { command } = ask.input as { command: string }
    const { choice } = made.find((each) => each.command === command)!
    const { answer } = (await ledger.asks.find(key, ask.id))!
    const about = `${command}: ${JSON.stringify(answer)}`
    // All clients got the answer of the ledger, and at most one of them has won.
    for (const each of told) expect(each.answer, about).toEqual(answer)
    expect(told.filter(({ won }) => won).length, about).toBe(answer!.by === 'person' ? 1 : 0)
    for (const phone of phones) for (const each of phone.settled(ask)) expect(each, about).toEqual(answer)
    // The agent followed the answer, or the keyboard was faster and that is recorded.
    if (answer!.by === 'terminal') expect(choice, about).toBe(byKeyboard.choice)
    else if (late.has(ask.id)) expect(choice, about).toBe(byKeyboard.choice)
    else expect(choice, about).toBe(expectedChoices[answer!.option!])
    const winner = late.has(ask.id) ? 'too late' : (answer!.device ?? answer!.by)
    winners.set(winner, (winners.get(winner) ?? 0) + 1)
  }
  const answered = audit.filter(({ what }) => what === 'answer')
  expect(new Set(answered.map(({ detail }) => (detail as { ask: Ask }).ask.id)).size).toBe(answered.length)
  // Remora pressed no other key. Keys of the keyboard during a delivery had no effect.
  const blind = pressed - made.filter(({ choice }) => choice === byKeyboard.choice).length
  const { input = '' } = live.terminal(info.id)!.now
  expect(input).toBe(byKeyboard.key.repeat(input.length))
  expect(input.length).toBeLessThanOrEqual(blind)
  expect((await stage.noted()).filter(({ prompt }) => prompt !== undefined)).toHaveLength(1)
  if (process.env['REMORA_RACES'])
    process.stdout.write(`${races.length} races: ${JSON.stringify(Object.fromEntries(winners))}\n`)
  await other.close()
  for (const { client } of phones) client.close()
}, 900_000)

/** What the agent did, by its own log. */
async function choices(stage: Stage): Promise<{ choice: number; command: string }[]> {
  return (await stage.noted()).flatMap(({ choice, command }) =>
    choice === undefined || command === undefined ? [] : [{ choice, command }],
  )
}

function isShort({ expiresAt = Infinity }: Ask): boolean {
  return expiresAt < Date.now() + 10_000
}

/** Sets a short timeout for some of the next asks. */
async function limitTime(stage: Stage, random: () => number): Promise<void> {
  const timeoutSeconds = random() < 0.4 ? 0.02 + (random() * spreadMs) / 1000 : 600
  await writeFile(join(stage.remoraHome, 'policies.json'), JSON.stringify({ timeoutSeconds }))
}
