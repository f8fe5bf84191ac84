import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openLedger } from '@remora/ledger'
import { isRunning } from '@remora/sdk'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { repository } from '../../../../testkit/src/index.ts'
import { fakeAgent } from '../../../sdk/src/channels/acp/fake-agent/command.test-data.ts'
import { Editor } from '../../../sdk/src/channels/acp/relay/relay.test-data.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remora-acp-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** `remora acp` between a fake agent, which can be made to fail, and an editor. */
function stage(behaviour: Readonly<Record<string, unknown>> = {}) {
  const { command, args = [] } = fakeAgent(behaviour)
  const agent = [command, ...args].map((word) => `'${word}'`).join(' ')
  const child = start(['acp', '--command', agent, '--name', 'fake'])
  const editor = new Editor()
  editor.input.pipe(child.stdin!)
  child.stdout!.pipe(editor.output)
  child.stdin!.on('error', () => {})
  const ended = Promise.all([once(child, 'close'), text(child.stderr!)]).then(([[code, signal], err]) => ({
    code: code as number | null,
    signal: signal as string | null,
    err,
  }))
  return { child, editor, ended }
}

function start(words: readonly string[]): ChildProcess {
  const bin = join(repository, 'packages/cli/src/bin.ts')
  return spawn(process.execPath, ['--import', import.meta.resolve('tsx'), bin, ...words], {
    env: { PATH: process.env['PATH'], HOME: home },
    cwd: home,
  })
}

/** The pid of a process that the agent started and does not wait for. */
async function findChild(editor: Editor, session: string): Promise<number> {
  await editor.prompt(session, 'children detached')
  const [, pid] = /child (\d+)/.exec(editor.lines.join('\n'))!
  expect(await isRunning({ pid: Number(pid) })).toBe(true)
  return Number(pid)
}

it.each(['SIGINT', 'SIGTERM'] as const)('stops the agent and its children on %s', async (signal) => {
  const { child, editor, ended } = stage({ stays: true })
  const pid = await findChild(editor, await editor.open())
  child.kill(signal)
  expect(await ended).toMatchObject({ code: 130 })
  expect(await isRunning({ pid })).toBe(false)
})

it('leaves nothing behind when it is killed itself', async () => {
  const { child, editor, ended } = stage({ stays: true })
  const pid = await findChild(editor, await editor.open())
  child.kill('SIGKILL')
  await ended
  await expect.poll(() => isRunning({ pid }), { timeout: 60_000 }).toBe(false)
})

it('reports a crashed agent to the editor and by its exit code', async () => {
  const { editor, ended } = stage()
  const session = await editor.open()
  expect(await editor.prompt(session, 'die 3')).toMatchObject({
    error: { message: 'fake has ended with code 3' },
  })
  const { code, err } = await ended
  expect(code).toBe(1)
  expect(err).toContain('fatal: the fake agent dies\n')
  expect(err).toContain('remora: The agent exited with code 3\n')
})

it('writes only messages to the editor, and stores all of them', async () => {
  const { editor, ended } = stage({ noise: 'a warning' })
  const session = await editor.open()
  await editor.prompt(session, 'chunks 3000')
  editor.input.end()
  expect(await ended).toMatchObject({ code: 0 })
  expect(editor.messages).toHaveLength(editor.lines.length)
  const ledger = await openLedger({ file: join(home, '.remora', 'ledger.db') })
  try {
    const { events } = await ledger.read({ limit: 10_000 })
    expect(events.filter(({ event }) => event.type === 'text')).toHaveLength(3000)
    expect(events.at(-1)?.event).toMatchObject({ type: 'status', status: 'ended' })
  } finally {
    await ledger.close()
  }
})

it('accepts an answer from another process, and closes asks of exited processes', async () => {
  const { child, editor, ended } = stage()
  const session = await editor.open()
  const turn = editor.prompt(session, 'tool execute one\ntool execute two')
  await editor.asked()
  const asks = async () => JSON.parse(await text(start(['asks', '--json']).stdout!)) as { number: string }[]
  await expect.poll(asks, { timeout: 60_000 }).toHaveLength(1)
  const [first] = await asks()
  const [code] = (await once(start(['answer', first!.number, 'deny']), 'exit')) as [number]
  expect(code).toBe(0)
  await editor.asked(2)
  await expect.poll(asks, { timeout: 60_000 }).toHaveLength(1)
  child.kill('SIGKILL')
  await ended
  expect(await asks()).toEqual([])
  void turn
})
