import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type Place, terminalPlace } from '../../../sdk/src/channels/terminal/terminal.test-data.ts'
import { type TestClient, type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'

let server: TestServer
let place: Place

beforeAll(async () => {
  server = await startTestServer()
  place = await terminalPlace()
  server.live.put()
  server.live.terminals.set('l-1', await place.start())
})
afterAll(async () => {
  await server.close()
  await place.close()
})

interface ScreenMessage {
  readonly data: string
  readonly whole?: { readonly columns: number; readonly rows: number }
}

const screens = (client: TestClient) =>
  client.received.filter(({ type }) => type === 'screen') as unknown as ScreenMessage[]

/** Joins the data, since tmux may split a word into two chunks. */
const drawn = (messages: readonly ScreenMessage[]) => messages.map(({ data }) => data).join('')

async function openScreen() {
  const { token } = await server.pair()
  const client = await openSocket(server, { token })
  await client.until(({ type }) => type === 'hello')
  client.send({ type: 'screen', live: 'l-1', on: true })
  await client.until(({ type }) => type === 'screen')
  return client
}

describe('the screen of a terminal', () => {
  it('is sent whole, then as it changes, and accepts keys', async () => {
    const client = await openScreen()
    const { columns, lines } = server.live.terminals.get('l-1')!.screen()
    expect(screens(client)[0]!.whole).toEqual({ columns, rows: lines.length })
    client.send({ type: 'keys', live: 'l-1', keys: [{ text: '; kill-server #{pane_id} $(id)' }] })
    await client.until(() => drawn(screens(client).filter(({ whole }) => !whole)).includes('$(id)'))
    expect(server.live.terminals.get('l-1')!.now.state).toBe('idle')
    client.send({ type: 'keys', live: 'l-9', keys: [{ key: 'Enter' }] })
    expect(await client.until(({ type }) => type === 'error')).toMatchObject({
      code: 'not_found',
      about: 'l-9',
    })
    client.close()
  })

  it('is sent whole again when its size changes', async () => {
    const client = await openScreen()
    await server.live.terminals.get('l-1')!.resize(100, 31)
    client.send({ type: 'keys', live: 'l-1', keys: [{ text: 'x' }] })
    await client.until(() => screens(client).some(({ whole }) => whole?.columns === 100 && whole.rows === 31))
    expect(screens(client).filter(({ whole }) => whole).length).toBeGreaterThan(1)
    client.close()
  })

  it('is merged for a client that does not read, which ends with the latest screen', async () => {
    const [client, other] = [await openScreen(), await openScreen()]
    client.send({ type: 'subscribe', id: 'all' })
    await client.until(({ type }) => type === 'current')
    const before = screens(client).length
    client.socket.pause()
    const story = new Story()
    for (let n = 0; n < 120; n++) await server.ledger.append(story.says('x'.repeat(100_000)))
    for (let n = 0; n < 10; n++) other.send({ type: 'keys', live: 'l-1', keys: [{ text: `w${n} ` }] })
    await other.until(() => drawn(screens(other)).includes('w9'))
    client.socket.resume()
    await client.until(() => drawn(screens(client)).includes('w9'))
    expect(screens(client).length - before).toBeLessThan(screens(other).length)
    client.close()
    other.close()
  })
})
