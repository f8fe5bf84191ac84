import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Answer, Ask } from '@remora/protocol'
import { expect, it } from 'vitest'
import { Stage, ask, key, yes } from './approvals.test-data.ts'

const program = fileURLToPath(import.meta.resolve('./races.test-data.ts'))
const rounds = 1000
/** How many races run at once. */
const width = 8

/** A pseudo-random generator, so that every run has the same races. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

it('has one effect for each of 1,000 asks that five clients race to answer, and reports it to all', async () => {
  await using stage = await Stage.open()
  const { approvals, ledger } = stage
  // Two clients listen to the same approvals.
  const seen = [new Map<string, Answer[]>(), new Map<string, Answer[]>()]
  for (const view of seen)
    approvals.on((change) => {
      if (change.type !== 'settled' || change.effect) return
      view.set(change.answer.ask, [...(view.get(change.answer.ask) ?? []), change.answer])
    })
  const other = await cli(join(stage.home, 'ledger.db'))
  const random = createRandom(7)
  const effects = new Map<string, Answer[]>()
  writeFileSync(join(stage.home, 'policies.json'), '{ "timeoutSeconds": 0.02 }')

  const race = async (index: number): Promise<void> => {
    const each: Ask = { ...ask, id: `l-1/ask/${index}`, digest: `shown ${index}` }
    // The keyboard or the delivered answer closes the dialog, whichever comes first.
    let open = true
    const press = (): boolean => (open ? !(open = false) : false)
    await approvals.open(key, each, async (answer) => {
      effects.set(each.id, [...(effects.get(each.id) ?? []), answer])
      await sleep(random() * 3)
      return press() ? 'done' : 'gone'
    })
    const given = { ...yes, ask: each.id, digest: each.digest }
    const later = async <T>(work: () => Promise<T>): Promise<T> => {
      await sleep(random() * 25)
      return work()
    }
    const phones = ['phone of Ann', 'phone of Ben'].map((device) =>
      later(() => approvals.answer(key, { ...given, device, option: device.endsWith('Ann') ? 'yes' : 'no' })),
    )
    const keyboard = later(async () => {
      if (random() > 0.5 || !press()) return
      await approvals.settle(key, each.id, { by: 'terminal', option: 'no' })
    })
    const elsewhere = later(() => other.answer(`${each.id}\t${each.digest}`))
    const results = await Promise.all(phones)
    await Promise.all([keyboard, elsewhere])
    // Both phones get the same answer, and at most one of them has won.
    expect(results[0]!.answer).toEqual(results[1]!.answer)
    expect(results.filter(({ won }) => won).length).toBeLessThanOrEqual(1)
  }
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < rounds) await race(next++)
    }),
  )
  const wins = await other.close()
  await approvals.close()

  const decided = new Map<string, Answer>()
  for (let index = 0; index < rounds; index++) {
    const id = `l-1/ask/${index}`
    const found = await ledger.asks.find(key, id)
    expect(found?.answer, id).toBeDefined()
    decided.set(id, found!.answer!)
  }
  for (const [id, answer] of decided) {
    const carried = effects.get(id) ?? []
    // At most one answer was delivered for an ask: the one in the ledger.
    expect(carried.length, id).toBeLessThanOrEqual(1)
    if (carried[0]) expect(carried[0]).toEqual(answer)
    for (const view of seen) expect(view.get(id), id).toEqual([answer])
  }
  const audit = await ledger.audit.read()
  const answers = audit.filter(({ what }) => what === 'answer')
  const late = audit.filter(({ what }) => what === 'not carried')
  expect(answers).toHaveLength(rounds)
  expect(await ledger.audit.verify()).toEqual({ entries: audit.length })
  // Each decision had its effect, or is recorded as too late. The keyboard needs no delivery.
  const byKeyboard = [...decided.values()].filter(({ by }) => by === 'terminal').length
  const lost = late.map(({ detail }) => (detail as { ask: string }).ask)
  expect(new Set(lost).size).toBe(lost.length)
  const effective = [...effects.keys()].filter((id) => !lost.includes(id))
  expect(effective.length + byKeyboard + lost.length).toBe(rounds)
  expect(await approvals.pending()).toEqual([])
  // Each client has won at least once.
  const winners = new Set([...decided.values()].map(({ by, device }) => device ?? by))
  expect([...winners].sort()).toEqual([
    'phone of Ann',
    'phone of Ben',
    'remora answer',
    'terminal',
    'timeout',
  ])
  expect([...decided.values()].filter(({ device }) => device === 'remora answer')).toHaveLength(wins)
}, 300_000)

/** Another process on the same ledger. */
async function cli(file: string) {
  const args = ['--import', import.meta.resolve('tsx'), program, file]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const waiting = new Map<string, () => void>()
  let wins = 0
  const ready = once(lines, 'line')
  lines.on('line', (line) => {
    if (line === 'ready') return
    const { id, won } = JSON.parse(line) as { id: string; won: boolean }
    if (won) wins++
    waiting.get(id)?.()
  })
  await ready
  return {
    answer: (id: string) =>
      new Promise<void>((resolve) => {
        waiting.set(id.split('\t')[0]!, resolve)
        child.stdin.write(`${id}\n`)
      }),
    async close(): Promise<number> {
      child.stdin.end()
      await once(child, 'exit')
      return wins
    },
  }
}
