import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LiveInfo } from '@remora/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Stage, openLiveStage } from './live.test-data.ts'

// Every test starts a server, a host and a program, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let stage: Stage
beforeEach(async () => {
  stage = await openLiveStage({ terminalDriver: async () => 'pty' })
})
afterEach(() => stage[Symbol.asyncDispose]())

const find = ({ id }: LiveInfo): LiveInfo | undefined => stage.server.context.live.find(id)
const untilState = (info: LiveInfo, state: LiveInfo['state']) =>
  stage.until(`${info.id} is ${state}`, () => find(info)?.state === state)
const send = (info: LiveInfo, text: string) =>
  stage.server.context.live.submit({
    id: text,
    client: 'test',
    target: { agent: info.agent, session: find(info)!.session },
    body: { kind: 'prompt', content: [{ type: 'text', text }] },
  })
const listHostFiles = (): string[] => readdirSync(join(stage.remoraHome, 'terminals'))

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The process of the host: the parent of the agent's leader. */
async function findHost({ id }: LiveInfo): Promise<number> {
  const readParent = async (pid: number): Promise<number> => {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  }
  return readParent(await readParent(stage.server.context.live.terminal(id)!.pid))
}

it('keeps an agent running while the server restarts, and ends it with everything of ours', async () => {
  const info = await stage.start()
  await untilState(info, 'idle')
  expect(listHostFiles()).toEqual([`${info.id}.sock`, `${info.id}.sock.d`])
  expect(statSync(join(stage.remoraHome, 'terminals', `${info.id}.sock`)).mode & 0o777).toBe(0o600)
  const { pid } = stage.server.context.live.terminal(info.id)!
  const host = await findHost(info)
  await stage.restart()
  await untilState(info, 'idle')
  expect(stage.server.context.live.terminal(info.id)!.pid).toBe(pid)
  await send(info, 'hello')
  await stage.until('the prompt', async () => (await stage.noted()).some(({ prompt }) => prompt === 'hello'))
  await stage.server.context.live.submit({
    id: 'end',
    client: 'test',
    target: { agent: info.agent, session: find(info)!.session },
    body: { kind: 'end' },
  })
  await untilState(info, 'ended')
  await stage.until('all have ended', () => !isRunning(pid) && !isRunning(host))
  expect(listHostFiles()).toEqual([])
})

it.runIf(existsSync('/proc'))('reports a session as ended when its host is killed', async () => {
  const info = await stage.start()
  await untilState(info, 'idle')
  const { pid } = stage.server.context.live.terminal(info.id)!
  process.kill(await findHost(info), 'SIGKILL')
  await untilState(info, 'ended')
  await stage.until('the agent has ended', () => !isRunning(pid))
  expect(listHostFiles()).toEqual([])
  expect(find(info)).toMatchObject({ detail: 'Terminal host was killed' })
  const { events } = await stage.server.context.ledger.read({
    session: { agent: info.agent, session: find(info)!.session },
  })
  expect(events.slice(-2).map(({ event }) => event)).toMatchObject([
    { type: 'error', code: 'crashed', message: 'Terminal host was killed, and Gemini CLI with it' },
    { type: 'status', status: 'ended', detail: 'Terminal host was killed' },
  ])
})

it.runIf(existsSync('/proc'))(
  'reports a session as ended when its host is killed while no server is running',
  async () => {
    const info = await stage.start()
    await untilState(info, 'idle')
    const { pid } = stage.server.context.live.terminal(info.id)!
    const host = await findHost(info)
    const { agent, session } = find(info)!
    await stage.restart(async ({ ledger }) => {
      process.kill(host, 'SIGKILL')
      await stage.until('the agent has ended', () => !isRunning(pid))
      await ledger.annotate({ agent, session }, { name: 'The name' })
    })
    await untilState(info, 'ended')
    expect(find(info)).toMatchObject({
      title: 'The name',
      detail: 'Terminal host was killed, or the machine restarted',
    })
    expect(listHostFiles()).toEqual([])
  },
)

it('reports a session as ended whose agent ended while no server was running', async () => {
  const info = await stage.start()
  await untilState(info, 'idle')
  const { pid } = stage.server.context.live.terminal(info.id)!
  await stage.restart(async () => {
    process.kill(pid, 'SIGKILL')
    await stage.until('its host has ended', () => listHostFiles().join() === `${info.id}.sock.exit`)
  })
  await untilState(info, 'ended')
  await stage.until('its files are removed', () => listHostFiles().length === 0)
  expect(isRunning(pid)).toBe(false)
})
