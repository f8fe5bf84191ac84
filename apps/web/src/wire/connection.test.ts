import { afterEach, expect, it, vi } from 'vitest'
import { Connection, type ConnectionState } from './connection.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Stands in for what only a browser has. */
class Socket extends EventTarget {
  static readonly OPEN = 1
  static readonly made: Socket[] = []
  readonly readyState = Socket.OPEN

  constructor() {
    super()
    Socket.made.push(this)
  }

  send(): void {}

  close(): void {}

  greet(): void {
    const data = JSON.stringify({ type: 'hello', heartbeatMs: 60_000, staleMs: 60_000 })
    this.dispatchEvent(new MessageEvent('message', { data }))
  }

  lose(): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code: 1006 }))
  }
}

it('keeps a newer connection when the check of the previous one answers late', async () => {
  vi.stubGlobal('WebSocket', Socket)
  const states: ConnectionState[] = []
  const answers: { resolve: (isPaired: boolean) => void; reject: (error: Error) => void }[] = []
  const connection = new Connection({
    url: 'ws://127.0.0.1/',
    onState: (state) => states.push(state),
    onMessage: () => {},
    isReady: Promise.resolve(),
    isKnown: () => true,
    isPaired: () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
  })
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  connection.reconnect()
  for (const answer of ['reject', 'resolve'] as const) {
    Socket.made.at(-1)!.greet()
    await turn()
    Socket.made.at(-1)!.lose()
    connection.reconnect()
    Socket.made.at(-1)!.greet()
    await turn()
    if (answer === 'reject') answers.at(-1)!.reject(new Error('No network'))
    else answers.at(-1)!.resolve(false)
    await turn()
    expect(connection.state).toBe('online')
  }
  expect(states).not.toContain('offline')
  expect(states).not.toContain('unpaired')
  connection.stop()
})
