import { setTimeout as sleep } from 'node:timers/promises'
import { ServerMessage, formatCursor } from '@remora/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type TestClient, type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'
import { Follower, type Frame, readMessages } from './follower.test-data.ts'

let server: TestServer
afterEach(async () => server.close())

const key = { agent: 'claude', session: 'one' }

async function connectFirst(): Promise<TestClient> {
  server = await startTestServer()
  return connect()
}

async function connect(): Promise<TestClient> {
  const { token } = await server.pair()
  const client = await openSocket(server, { token })
  await client.until(({ type }) => type === 'hello')
  return client
}

const getFrames = (client: TestClient, id = 'f'): Frame[] =>
  client.received.filter(({ type, id: name }) => type === 'messages' && name === id) as unknown as Frame[]

async function waitForFrame(client: TestClient, index: number, id = 'f'): Promise<Frame> {
  await client.until(() => getFrames(client, id).length > index)
  return getFrames(client, id)[index]!
}

const getTexts = ({ messages }: Pick<Frame, 'messages'>): string[] =>
  messages.map(({ content }) => content.map((block) => ('text' in block ? block.text : block.type)).join(' '))

async function addTurns(story: Story, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await server.ledger.append([
      ...story.prompt(`prompt ${n}`, `p${n}`),
      ...story.says(`answer ${n}`, `m${n}`),
    ])
}

/** Waits until the client has every event, and returns its cursor. */
async function waitForHead(client: TestClient): Promise<string> {
  const head = formatCursor(await server.ledger.head())
  await client.until(() => getFrames(client).some(({ cursor }) => cursor === head))
  return head
}

describe('following a session', () => {
  it('sends the last messages first and then the changes in order', async () => {
    const client = await connectFirst()
    const story = new Story()
    await addTurns(story, 20)
    client.send({ type: 'follow', id: 'f', session: key, last: 3 })
    const first = await waitForFrame(client, 0)
    expect(first).toMatchObject({ from: 37, total: 40, whole: true })
    expect(getTexts(first)).toEqual(['answer 18', 'prompt 19', 'answer 19'])
    await server.ledger.append(story.prompt('and now?'))
    const second = await waitForFrame(client, 1)
    expect(second).toMatchObject({ from: 40, total: 41 })
    expect(second.whole).toBeUndefined()
    expect(getTexts(second)).toEqual(['and now?'])
    // Streamed text changes the message that it belongs to.
    const chunks = ['It ', 'works ', 'now.']
    for (const [index, text] of chunks.entries()) {
      const offset = chunks.slice(0, index).join('').length
      await server.ledger.append(
        story.tell({ type: 'text', entity: 'live/0', message: 'live', offset, text }),
      )
    }
    const whole = () => getFrames(client).find((each) => getTexts(each).includes('It works now.'))
    await client.until(() => whole() !== undefined)
    expect(whole()).toMatchObject({ from: 41, total: 42 })
    for (const each of getFrames(client)) expect(ServerMessage.safeParse(each).error).toBeUndefined()
  })

  it('sends only its own session, without raw records', async () => {
    const client = await connectFirst()
    const story = new Story()
    await addTurns(story, 1)
    client.send({ type: 'follow', id: 'f', session: key })
    await waitForFrame(client, 0)
    await server.ledger.append(new Story({ session: 'other' }).prompt('not for you'))
    const [record] = story.prompt('for you')
    await server.ledger.append([{ events: [{ ...record!.events[0]!, raw: { secret: 'raw' } }] }])
    expect(getTexts(await waitForFrame(client, 1))).toEqual(['for you'])
    expect(JSON.stringify(client.received)).not.toMatch(/not for you|secret/)
  })

  it('sends a late change of an old turn', async () => {
    const client = await connectFirst()
    const story = new Story()
    await addTurns(story, 100)
    client.send({ type: 'follow', id: 'f', session: key, last: 200 })
    await waitForFrame(client, 0)
    await server.ledger.append(
      story.tell({
        type: 'text',
        entity: 'm3/text/0',
        message: 'm3',
        offset: 0,
        text: 'better 3',
        final: true,
      }),
    )
    await client.until(() => getFrames(client).some((each) => getTexts(each).includes('better 3')))
    const follower = new Follower()
    for (const each of getFrames(client)) follower.take(each)
    expect(follower.misfits).toBe(0)
    expect(getTexts(follower)[7]).toBe('better 3')
    expect(follower.messages).toEqual(await readMessages(server.ledger, key))
    // Only the change is sent.
    const late = getFrames(client).find((each) => getTexts(each).includes('better 3'))!
    expect(late.messages.length).toBeLessThan(10)
  })

  it('sends no message twice while a session grows', async () => {
    const client = await connectFirst()
    client.send({ type: 'follow', id: 'f', session: key, last: 200 })
    await waitForFrame(client, 0)
    const story = new Story()
    for (let n = 0; n < 130; n++) {
      await server.ledger.append(story.prompt(`prompt ${n}`, `p${n}`))
      await client.until(() => getFrames(client).at(-1)!.total > n)
    }
    await waitForHead(client)
    const sent = getFrames(client).flatMap((each) => getTexts(each))
    expect(sent).toHaveLength(130)
  })

  it('sends no messages to a client that is current, even after changes in other sessions', async () => {
    const client = await connectFirst()
    const story = new Story()
    await addTurns(story, 3)
    client.send({ type: 'follow', id: 'f', session: key })
    await waitForFrame(client, 0)
    await server.ledger.append(story.prompt('more'))
    const cursor = await waitForHead(client)
    client.close()
    await server.ledger.append(new Story({ session: 'other' }).prompt('elsewhere'))
    const other = await connect()
    other.send({ type: 'follow', id: 'f', session: key, cursor })
    expect(await waitForFrame(other, 0)).toMatchObject({ messages: [], total: 7, from: 7 })
    expect((await waitForFrame(other, 0)).whole).toBeUndefined()
  })

  it('sends the last messages again to a client that missed a change', async () => {
    const client = await connectFirst()
    const story = new Story()
    await addTurns(story, 3)
    client.send({ type: 'follow', id: 'f', session: key })
    const { cursor } = await waitForFrame(client, 0)
    client.close()
    await server.ledger.append(story.says('meanwhile', 'm2'))
    const other = await connect()
    other.send({ type: 'follow', id: 'f', session: key, cursor })
    expect(await waitForFrame(other, 0)).toMatchObject({ whole: true })
    await other.until(() => getFrames(other).some((each) => getTexts(each).at(-1) === 'meanwhile'))
  })

  it('sends every change before the cursor that includes it', async () => {
    const client = await connectFirst()
    const story = new Story()
    await addTurns(story, 100)
    client.send({ type: 'follow', id: 'f', session: key })
    await waitForFrame(client, 0)
    // A change far before the end, and a new message at the end.
    await server.ledger.append([
      ...story.tell({
        type: 'text',
        entity: 'm3/text/0',
        message: 'm3',
        offset: 0,
        text: 'better 3',
        final: true,
      }),
      ...story.prompt('last'),
    ])
    const sent = await waitForFrame(client, 1)
    expect(getTexts(sent)).toEqual(expect.arrayContaining(['better 3', 'last']))
    client.close()
    const other = await connect()
    other.send({ type: 'follow', id: 'f', session: key, cursor: sent.cursor })
    expect(await waitForFrame(other, 0)).toMatchObject({ messages: [], total: 201 })
  })

  it('starts over for a cursor of another ledger or beyond the end', async () => {
    const client = await connectFirst()
    await addTurns(new Story(), 2)
    for (const [index, cursor] of ['other:3', `${server.ledger.epoch}:99999`].entries()) {
      const id = `f${index}`
      client.send({ type: 'follow', id, session: key, cursor })
      expect(await waitForFrame(client, 0, id)).toMatchObject({ whole: true, total: 4 })
    }
    client.send({ type: 'follow', id: 'x', session: key, cursor: 'no cursor at all' })
    expect(await client.until(({ type }) => type === 'error')).toMatchObject({ about: 'x', code: 'usage' })
  })

  it('follows an unknown session until it has messages', async () => {
    const client = await connectFirst()
    client.send({ type: 'follow', id: 'f', session: key })
    expect(await waitForFrame(client, 0)).toMatchObject({ from: 0, messages: [], total: 0, whole: true })
    await server.ledger.append(new Story().prompt('first'))
    expect(getTexts(await waitForFrame(client, 1))).toEqual(['first'])
  })

  it('stops at unsubscribe, and follows another session under the same id', async () => {
    const client = await connectFirst()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    await server.ledger.append([...one.prompt('one'), ...two.prompt('two')])
    client.send({ type: 'follow', id: 'f', session: key })
    await waitForFrame(client, 0)
    client.send({ type: 'follow', id: 'f', session: { agent: 'claude', session: 'two' } })
    expect(getTexts(await waitForFrame(client, 1))).toEqual(['two'])
    await server.ledger.append(one.prompt('unwanted'))
    await server.ledger.append(two.prompt('wanted'))
    expect(getTexts(await waitForFrame(client, 2))).toEqual(['wanted'])
    client.send({ type: 'unsubscribe', id: 'f' })
    client.send({ type: 'ping' })
    await client.until(({ type }) => type === 'pong')
    await server.ledger.append(two.prompt('unwanted too'))
    await sleep(200)
    expect(JSON.stringify(client.received)).not.toContain('unwanted')
  })

  it('merges the changes for a slow client into one frame at a time', async () => {
    server = await startTestServer()
    const slow = await connect()
    const story = new Story()
    await server.ledger.append(story.prompt('go'))
    slow.send({ type: 'follow', id: 'f', session: key })
    await waitForFrame(slow, 0)
    slow.socket.pause()
    // Each change is a megabyte, far more than a socket buffers.
    const text = 'x'.repeat(1_000_000)
    for (let n = 0; n < 40; n++) {
      await server.ledger.append(story.says(`${text} ${n}`, 'big'))
      await sleep(25)
    }
    slow.socket.resume()
    await slow.until(() =>
      getFrames(slow).some((each) => getTexts(each).some((text) => text.endsWith(' 39'))),
    )
    expect(getFrames(slow).length).toBeLessThan(20)
    const follower = new Follower()
    for (const each of getFrames(slow)) follower.take(each)
    expect(follower.messages).toEqual(await readMessages(server.ledger, key))
  }, 60_000)
})
