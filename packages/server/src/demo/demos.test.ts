import { RemoraError, type LiveInfo, type StartRequest } from '@remora/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'
import { Demos, type DemoSource } from './demos.ts'

let server: TestServer
let started: StartRequest[]
beforeEach(async () => {
  server = await startTestServer()
  started = []
  server.live.start = async (request?: StartRequest): Promise<LiveInfo> => {
    started.push(request!)
    return server.live.put({ id: `l-${started.length}`, session: `s-${started.length}`, state: 'working' })
  }
})
afterEach(async () => {
  vi.useRealTimers()
  await server.close()
})

const request: StartRequest = { agent: 'claude', cwd: '/demo', channel: 'acp', prompt: 'Why?' }

/** One that waits until it is let go on. */
function source(): DemoSource & {
  times: number
  tell: Parameters<DemoSource['prepare']>[0]
  go: (fail?: Error) => void
} {
  let settle: { resolve: (value: StartRequest) => void; reject: (error: Error) => void }
  const made = {
    times: 0,
    tell: undefined as never,
    go: (fail?: Error) => (fail ? settle.reject(fail) : settle.resolve(request)),
    prepare(tell: never) {
      made.times += 1
      made.tell = tell
      return new Promise<StartRequest>((resolve, reject) => (settle = { resolve, reject }))
    },
  }
  return made
}

it('says what takes so long, and starts one session however often it is asked for', async () => {
  const given = source()
  const demos = new Demos(server.context, given)
  expect(demos.state).toEqual({ state: 'none' })
  vi.useFakeTimers({ toFake: ['Date'] })
  const both = [demos.start(), demos.start()]
  expect(demos.state).toMatchObject({ state: 'starting', seconds: 0 })
  given.tell('installing', { megabytes: 100, usualSeconds: 20 })
  vi.setSystemTime(Date.now() + 7_500)
  expect(demos.state).toEqual({ state: 'installing', seconds: 7, megabytes: 100, usualSeconds: 20 })
  given.tell('starting')
  expect(demos.state).toMatchObject({ state: 'starting', seconds: 0 })
  given.go()
  const [first, second] = await Promise.all(both)
  expect(first).toBe(second)
  expect(started).toEqual([request])
  expect(demos.state).toEqual({ state: 'ready', live: first })
})

it('leads to the one that is in the middle of its turn, and ends one that has nothing more to say', async () => {
  const given = source()
  const demos = new Demos(server.context, given)
  const begun = demos.start()
  given.go()
  const { id } = await begun
  server.live.put({ id, session: 's-1', state: 'asking' })
  expect(await demos.start()).toMatchObject({ id, state: 'asking' })
  expect(started).toHaveLength(1)
  server.live.put({ id, session: 's-1', state: 'idle' })
  const again = demos.start()
  await vi.waitFor(
    async () =>
      expect(await server.ledger.commands.list()).toMatchObject([
        { target: { agent: 'claude', session: 's-1' }, body: { kind: 'end' } },
      ]),
    60_000,
  )
  await vi.waitFor(() => expect(given.times).toBe(2), 60_000)
  given.go()
  expect((await again).id).toBe('l-2')
  server.live.put({ id: 'l-2', session: 's-2', state: 'ended' })
  expect(demos.state).toEqual({ state: 'none' })
})

it('tells why it could not, and tries again when it is asked again', async () => {
  const given = source()
  const demos = new Demos(server.context, given)
  const failing = demos.start()
  given.go(new RemoraError('network', 'npm could not install it', { hint: 'Look at the network.' }))
  await expect(failing).rejects.toMatchObject({ code: 'network' })
  expect(demos.state).toEqual({
    state: 'failed',
    error: { code: 'network', message: 'npm could not install it', hint: 'Look at the network.' },
  })
  const again = demos.start()
  expect(demos.state.state).toBe('starting')
  given.go()
  await again
  expect(demos.state.state).toBe('ready')
})

it('says so where there is none', async () => {
  await expect(new Demos(server.context, undefined).start()).rejects.toMatchObject({ code: 'unsupported' })
})
