import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'

let server: TestServer
afterEach(async () => server.close())

const is = (type: string) => (message: Record<string, unknown>) => message['type'] === type

describe('a client that does not read', () => {
  it('uses little memory, delays no other client, and gets every event when it reads again', async () => {
    server = await startTestServer({ limits: { behindBytes: 200_000 } })
    const { token } = await server.pair()
    const [quick, slow] = [await openSocket(server, { token }), await openSocket(server, { token })]
    for (const client of [quick, slow]) {
      await client.until(is('hello'))
      client.send({ type: 'subscribe', id: 'all' })
      await client.until(is('current'))
    }
    slow.socket.pause()
    const story = new Story()
    const text = 'x'.repeat(100_000)
    global.gc?.()
    const before = process.memoryUsage().arrayBuffers
    // 40 MB, of which the kernel buffers a few.
    for (let n = 0; n < 400; n++) await server.ledger.append(story.says(text))
    while (quick.events('all').length < 400) await sleep(5)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
    server.live.put()
    server.live.put({ state: 'working' })
    slow.socket.resume()
    while (slow.events('all').length < 400) await sleep(5)
    expect(slow.events('all').map(({ seq }) => seq)).toEqual(
      Array.from({ length: 400 }, (_, index) => index + 1),
    )
    // Only the latest state is sent.
    await slow.until(
      (message) => is('live')(message) && (message['live'] as { state: string }).state === 'working',
    )
    await server.ledger.append(story.says('live again'))
    while (slow.events('all').length < 401) await sleep(5)
  }, 60_000)

  it('is disconnected after the timeout', async () => {
    server = await startTestServer({
      limits: { behindBytes: 100_000, stalledMs: 300, bytesPerSecond: 1e9 },
      heartbeatMs: 100,
      staleMs: 3_600_000,
    })
    const { token } = await server.pair()
    const slow = await openSocket(server, { token })
    await slow.until(is('hello'))
    slow.send({ type: 'subscribe', id: 'all' })
    await slow.until(is('current'))
    slow.socket.pause()
    const story = new Story()
    for (let n = 0; n < 120; n++) await server.ledger.append(story.says('x'.repeat(100_000)))
    while (server.connections > 0) await sleep(20)
    expect(server.connections).toBe(0)
    slow.close()
  })
})
