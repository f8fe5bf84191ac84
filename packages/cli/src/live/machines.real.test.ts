import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openPostgres } from '@remora/ledger-postgres'
import { type LiveInfo, fold } from '@remora/protocol'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Home,
  type Postgres,
  createHome,
  pinned,
  repository,
  startPostgres,
} from '../../../../testkit/src/index.ts'

/** Starting an agent takes seconds of CPU time, which can take minutes on a busy machine. */
const polling = { timeout: 240_000 }

/** A machine: a home, its state folder, and the command. Its server is a child process. */
class Machine {
  readonly name: string
  readonly home: Home
  // The path of a socket has a limit.
  readonly state = mkdtempSync('/tmp/rm-')
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(name: string, agent: string, home: Home, database: string) {
    this.name = name
    this.home = home
    const program = { [findAgent(agent)!.detection.variable]: pinned(agent).path }
    this.#env = {
      ...home.env,
      ...program,
      REMORA_HOME: this.state,
      REMORA_PORT: '0',
      REMORA_DATABASE_URL: database,
    }
  }

  async remora(...words: readonly string[]) {
    const child = spawn(process.execPath, [join(repository, 'packages/cli/bin/remora.mjs'), ...words], {
      env: this.#env,
      cwd: this.home.cwd,
    })
    child.stdin.end()
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { code: code as number, out, err }
  }

  async json<T>(...words: readonly string[]): Promise<T> {
    const { out, err, code } = await this.remora(...words, '--json')
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${err}${out}`)
    return JSON.parse(out) as T
  }

  async live(): Promise<LiveInfo[]> {
    return (await this.json<{ live: LiveInfo[] }>('ls', '--everywhere')).live
  }

  async close(): Promise<void> {
    for (const { id, node } of await this.live().catch(() => [])) if (!node) await this.remora('end', id)
    await this.remora('stop')
    await this.home.remove()
    rmSync(this.state, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

let model: ScriptedModel
let postgres: Postgres
let database: string
const machines: Machine[] = []
beforeAll(async () => {
  model = await startScriptedModel()
  postgres = await startPostgres({ fsync: 'off' })
  database = await postgres.createDatabase('remora')
  for (const [name, agent] of [
    ['laptop', 'gemini'],
    ['desktop', 'claude'],
    ['tablet', 'gemini'],
    ['server', 'gemini'],
  ] as const) {
    const machine = new Machine(name, agent, await createHome(agent, { model }), database)
    machines.push(machine)
    await machine.remora('nodes', 'name', name)
  }
}, 120_000)
afterAll(async () => {
  for (const machine of machines) await machine.close()
  await postgres?.stop()
  await model?.close()
}, 240_000)

it('drives real agents of two machines from a third, through crashes of their servers and of the database', async () => {
  const [laptop, desktop, tablet, server] = machines as [Machine, Machine, Machine, Machine]
  const gemini = await laptop.json<LiveInfo>('new', 'gemini')
  const claude = await desktop.json<LiveInfo>('new', 'claude')
  // The third machine lists both, each with its machine.
  await expect
    .poll(async () => (await tablet.live()).map(({ id, node }) => [id, node?.name]), polling)
    .toEqual(
      expect.arrayContaining([
        [gemini.id, 'laptop'],
        [claude.id, 'desktop'],
      ]),
    )

  for (const [live, machine] of [
    [gemini, laptop],
    [claude, desktop],
  ] as const) {
    const sent = await tablet.remora(
      'send',
      live.id,
      `SAY: Hello ${live.agent}`,
      '--wait',
      '--timeout',
      '240',
    )
    expect(sent).toMatchObject({ code: 0, out: expect.stringContaining(`Hello ${live.agent}`) as string })
    const asking = await tablet.remora(
      'send',
      live.id,
      'WRITE: from-afar.txt hello',
      '--wait',
      '--timeout',
      '240',
    )
    expect(asking).toMatchObject({
      code: 1,
      err: expect.stringContaining('is waiting for approval') as string,
    })
    // The two other machines answer at the same time. One answer is applied, and the file is written once.
    const [ask] = await tablet.json<{ number: string }[]>('asks')
    const answers = await Promise.all(
      [tablet, server].map((from) => from.remora('answer', ask!.number, 'allow')),
    )
    expect(answers.map(({ code }) => code)).toContain(0)
    await expect.poll(() => machine.home.files(), polling).toContain('from-afar.txt')
  }

  const { pid } = await laptop.json<{ pid: number }>('status')
  process.kill(pid, 'SIGKILL')
  await postgres.restart(500)
  // A new server reattaches to the agent of the previous one.
  await laptop.remora('serve', '--background')
  await expect.poll(async () => (await laptop.live()).map(({ id }) => id), polling).toContain(gemini.id)
  const after = await tablet.remora('send', gemini.id, 'SAY: Still here', '--wait', '--timeout', '240')
  expect(after).toMatchObject({ code: 0, out: expect.stringContaining('Still here') as string })
  expect(await tablet.remora('end', claude.id)).toMatchObject({ code: 0 })
  expect((await tablet.remora('nodes')).out).toMatch(/laptop[\s\S]*server|desktop[\s\S]*tablet/)

  // The ledger has each event and prompt once, one decision per ask, and a valid audit log.
  const ledger = await openPostgres({ url: database })
  try {
    const { events } = await ledger.read({ limit: 100_000 })
    const origins = events.map(({ event }) => JSON.stringify([event.agent, event.session, event.origin]))
    expect(new Set(origins).size).toBe(origins.length)
    // A file exists a moment before the turn that wrote it ends.
    const prompts = async () =>
      (await ledger.commands.list()).filter(({ body }) => body.kind === 'prompt').map(({ state }) => state)
    await expect.poll(async () => new Set(await prompts()), polling).toEqual(new Set(['done']))
    const answered = (await ledger.audit.read({ limit: 1000 })).filter(({ what }) => what === 'answer')
    expect(answered).toHaveLength(2)
    expect(await ledger.audit.verify()).not.toHaveProperty('broken')
    // Every machine shows the same conversation.
    const words = (all: typeof events) => JSON.stringify(fold(all.map(({ event }) => event)))
    const key = (await ledger.sessions()).find(({ agent }) => agent === 'gemini')!
    const whole = words((await ledger.read({ session: key, limit: 100_000 })).events)
    for (const text of ['Hello gemini', 'Still here'])
      expect(whole.split(`"${text}"`).length).toBeGreaterThan(1)
    // The agent keeps running, so its last output may arrive between two of them.
    const shown = () => Promise.all(machines.map((each) => each.remora('show', key.session, '--json')))
    await expect.poll(async () => new Set((await shown()).map(({ out }) => out)).size, polling).toBe(1)
  } finally {
    await ledger.close()
  }
}, 900_000)
