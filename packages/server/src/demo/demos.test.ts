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

/** A demo source that waits until `go` is called. */
function createSource(): DemoSource & {
  times: number
  report: Parameters<DemoSource['prepare']>[0]
  go: (fail?: Error) => void
} {
  let settle: { resolve: (value: StartRequest) => void; reject: (error: Error) => void }
  const created = {
    times: 0,
    report: undefined as never,
    go: (fail?: Error) => (fail ? settle.reject(fail) : settle.resolve(request)),
    prepare(report: never) {
      created.times += 1
      created.report = report
      return new Promise<StartRequest>((resolve, reject) => (settle = { resolve, reject }))
    },
  }
  return created
}

it('reports its progress, and starts one session for repeated requests', async () => {
  const given = createSource()
  const demos = new Demos(server.context, given)
  expect(demos.state).toEqual({ state: 'none' })
  vi.useFakeTimers({ toFake: ['Date'] })
  const both = [demos.start(), demos.start()]
  expect(demos.state).toMatchObject({ state: 'starting', seconds: 0 })
  given.report('installing', { megabytes: 100, usualSeconds: 20 })
  vi.setSystemTime(Date.now() + 7_500)
  expect(demos.state).toEqual({ state: 'installing', seconds: 7, megabytes: 100, usualSeconds: 20 })
  given.report('starting')
  expect(demos.state).toMatchObject({ state: 'starting', seconds: 0 })
  given.go()
  const [first, second] = await Promise.all(both)
  expect(first).toBe(second)
  expect(started).toEqual([request])
  expect(demos.state).toEqual({ state: 'ready', live: first })
})

it('returns a demo in the middle of a turn, and ends an idle one', async () => {
  const given = createSource()
  const demos = new Demos(server.context, given)
  const starting = demos.start()
  given.go()
  const { id } = await starting
  server.live.put({ id, session: 's-1', state: 'asking' })
  expect(await demos.start()).toMatchObject({ id, state: 'asking' })
  expect(started).toHaveLength(1)
  server.live.put({ id, session: 's-1', state: 'idle' })
  const restarted = demos.start()
  await vi.waitFor(
    async () =>
      expect(await server.ledger.commands.list()).toMatchObject([
        { target: { agent: 'claude', session: 's-1' }, body: { kind: 'end' } },
      ]),
    60_000,
  )
  await vi.waitFor(() => expect(given.times).toBe(2), 60_000)
  given.go()
  expect((await restarted).id).toBe('l-2')
  server.live.put({ id: 'l-2', session: 's-2', state: 'ended' })
  expect(demos.state).toEqual({ state: 'none' })
})

it('reports a failed start, and retries on the next request', async () => {
  const given = createSource()
  const demos = new Demos(server.context, given)
  const failing = demos.start()
  given.go(new RemoraError('network', 'npm could not install it', { hint: 'Look at the network.' }))
  await expect(failing).rejects.toMatchObject({ code: 'network' })
  expect(demos.state).toEqual({
    state: 'failed',
    error: { code: 'network', message: 'npm could not install it', hint: 'Look at the network.' },
  })
  const restarted = demos.start()
  expect(demos.state.state).toBe('starting')
  given.go()
  await restarted
  expect(demos.state.state).toBe('ready')
})

it('is rejected on a server without a demo', async () => {
  await expect(new Demos(server.context, undefined).start()).rejects.toMatchObject({ code: 'unsupported' })
})
