import { setTimeout as sleep } from 'node:timers/promises'
import { ServerMessage, formatCursor } from '@remora/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type TestClient, type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'
import { Follower, type Frame, foldOf } from './follower.test-data.ts'

let server: TestServer
afterEach(async () => server.close())

const key = { agent: 'claude', session: 'one' }

async function begin(): Promise<TestClient> {
  server = await startTestServer()
  return again()
}

async function again(): Promise<TestClient> {
  const { token } = await server.pair()
  const client = await openSocket(server, { token })
  await client.until(({ type }) => type === 'hello')
  return client
}

const framesOf = (client: TestClient, id = 'f'): Frame[] =>
  client.heard.filter(({ type, id: name }) => type === 'messages' && name === id) as unknown as Frame[]

async function frame(client: TestClient, index: number, id = 'f'): Promise<Frame> {
  await client.until(() => framesOf(client, id).length > index)
  return framesOf(client, id)[index]!
}

const texts = ({ messages }: Pick<Frame, 'messages'>): string[] =>
  messages.map(({ content }) => content.map((block) => ('text' in block ? block.text : block.type)).join(' '))

async function talk(story: Story, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await server.ledger.append([
      ...story.prompt(`prompt ${n}`, `p${n}`),
      ...story.says(`answer ${n}`, `m${n}`),
    ])
}

/** Waits until everything was compared, and gives the cursor of one who has been told all of it. */
async function settled(client: TestClient): Promise<string> {
  const head = formatCursor(await server.ledger.head())
  await client.until(() => framesOf(client).some(({ cursor }) => cursor === head))
  return head
}

describe('following a session', () => {
  it('gives the last messages whole, and then what changes, in order', async () => {
    const client = await begin()
    const story = new Story()
    await talk(story, 20)
    client.say({ type: 'follow', id: 'f', session: key, last: 3 })
    const first = await frame(client, 0)
    expect(first).toMatchObject({ from: 37, total: 40, whole: true })
    expect(texts(first)).toEqual(['answer 18', 'prompt 19', 'answer 19'])
    await server.ledger.append(story.prompt('and now?'))
    const second = await frame(client, 1)
    expect(second).toMatchObject({ from: 40, total: 41 })
    expect(second.whole).toBeUndefined()
    expect(texts(second)).toEqual(['and now?'])
    // Words that come one after the other change the message that they belong to.
    const words = ['It ', 'goes ', 'on.']
    for (const [index, text] of words.entries()) {
      const offset = words.slice(0, index).join('').length
      await server.ledger.append(
        story.tell({ type: 'text', entity: 'live/0', message: 'live', offset, text }),
      )
    }
    const whole = () => framesOf(client).find((each) => texts(each).includes('It goes on.'))
    await client.until(() => whole() !== undefined)
    expect(whole()).toMatchObject({ from: 41, total: 42 })
    for (const each of framesOf(client)) expect(ServerMessage.safeParse(each).error).toBeUndefined()
  })

  it("tells only of its own session, with nothing of the agent's own records", async () => {
    const client = await begin()
    const story = new Story()
    await talk(story, 1)
    client.say({ type: 'follow', id: 'f', session: key })
    await frame(client, 0)
    await server.ledger.append(new Story({ session: 'other' }).prompt('not for you'))
    const [record] = story.prompt('for you')
    await server.ledger.append([{ events: [{ ...record!.events[0]!, raw: { secret: 'raw' } }] }])
    expect(texts(await frame(client, 1))).toEqual(['for you'])
    expect(JSON.stringify(client.heard)).not.toMatch(/not for you|secret/)
  })

  it('tells what comes late for an old turn, however far it is from the end', async () => {
    const client = await begin()
    const story = new Story()
    await talk(story, 100)
    client.say({ type: 'follow', id: 'f', session: key, last: 200 })
    await frame(client, 0)
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
    await client.until(() => framesOf(client).some((each) => texts(each).includes('better 3')))
    const follower = new Follower()
    for (const each of framesOf(client)) follower.take(each)
    expect(follower.misfits).toBe(0)
    expect(texts(follower)[7]).toBe('better 3')
    expect(follower.messages).toEqual(await foldOf(server.ledger, key))
    // The change alone, and not everything again.
    const late = framesOf(client).find((each) => texts(each).includes('better 3'))!
    expect(late.messages.length).toBeLessThan(10)
  })

  it('sends no message twice while a session grows', async () => {
    const client = await begin()
    client.say({ type: 'follow', id: 'f', session: key, last: 200 })
    await frame(client, 0)
    const story = new Story()
    for (let n = 0; n < 130; n++) {
      await server.ledger.append(story.prompt(`prompt ${n}`, `p${n}`))
      await client.until(() => framesOf(client).at(-1)!.total > n)
    }
    await settled(client)
    const sent = framesOf(client).flatMap((each) => texts(each))
    expect(sent).toHaveLength(130)
  })

  it('tells nothing again to who has everything, whatever other sessions did meanwhile', async () => {
    const client = await begin()
    const story = new Story()
    await talk(story, 3)
    client.say({ type: 'follow', id: 'f', session: key })
    await frame(client, 0)
    await server.ledger.append(story.prompt('more'))
    const cursor = await settled(client)
    client.close()
    await server.ledger.append(new Story({ session: 'other' }).prompt('elsewhere'))
    const other = await again()
    other.say({ type: 'follow', id: 'f', session: key, cursor })
    expect(await frame(other, 0)).toMatchObject({ messages: [], total: 7, from: 7 })
    expect((await frame(other, 0)).whole).toBeUndefined()
  })

  it('tells anew who was away while it went on, also a little', async () => {
    const client = await begin()
    const story = new Story()
    await talk(story, 3)
    client.say({ type: 'follow', id: 'f', session: key })
    const { cursor } = await frame(client, 0)
    client.close()
    await server.ledger.append(story.says('meanwhile', 'm2'))
    const other = await again()
    other.say({ type: 'follow', id: 'f', session: key, cursor })
    expect(await frame(other, 0)).toMatchObject({ whole: true })
    await other.until(() => framesOf(other).some((each) => texts(each).at(-1) === 'meanwhile'))
  })

  it('sends every change before the cursor that includes it', async () => {
    const client = await begin()
    const story = new Story()
    await talk(story, 100)
    client.say({ type: 'follow', id: 'f', session: key })
    await frame(client, 0)
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
    const sent = await frame(client, 1)
    expect(texts(sent)).toEqual(expect.arrayContaining(['better 3', 'last']))
    client.close()
    const other = await again()
    other.say({ type: 'follow', id: 'f', session: key, cursor: sent.cursor })
    expect(await frame(other, 0)).toMatchObject({ messages: [], total: 201 })
  })

  it('begins anew for a cursor of another ledger, or one that lies beyond this one', async () => {
    const client = await begin()
    await talk(new Story(), 2)
    for (const [index, cursor] of ['other:3', `${server.ledger.epoch}:99999`].entries()) {
      const id = `f${index}`
      client.say({ type: 'follow', id, session: key, cursor })
      expect(await frame(client, 0, id)).toMatchObject({ whole: true, total: 4 })
    }
    client.say({ type: 'follow', id: 'x', session: key, cursor: 'no cursor at all' })
    expect(await client.until(({ type }) => type === 'error')).toMatchObject({ about: 'x', code: 'usage' })
  })

  it('of a session that nobody knows there are no messages until there are', async () => {
    const client = await begin()
    client.say({ type: 'follow', id: 'f', session: key })
    expect(await frame(client, 0)).toMatchObject({ from: 0, messages: [], total: 0, whole: true })
    await server.ledger.append(new Story().prompt('first'))
    expect(texts(await frame(client, 1))).toEqual(['first'])
  })

  it('ends when it is told to, and the same id follows something else', async () => {
    const client = await begin()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    await server.ledger.append([...one.prompt('one'), ...two.prompt('two')])
    client.say({ type: 'follow', id: 'f', session: key })
    await frame(client, 0)
    client.say({ type: 'follow', id: 'f', session: { agent: 'claude', session: 'two' } })
    expect(texts(await frame(client, 1))).toEqual(['two'])
    await server.ledger.append(one.prompt('unheard'))
    await server.ledger.append(two.prompt('heard'))
    expect(texts(await frame(client, 2))).toEqual(['heard'])
    client.say({ type: 'unsubscribe', id: 'f' })
    client.say({ type: 'ping' })
    await client.until(({ type }) => type === 'pong')
    await server.ledger.append(two.prompt('unheard too'))
    await sleep(200)
    expect(JSON.stringify(client.heard)).not.toContain('unheard')
  })

  it('costs a slow client one frame at a time, in which everything is told together', async () => {
    server = await startTestServer()
    const slow = await again()
    const story = new Story()
    await server.ledger.append(story.prompt('go'))
    slow.say({ type: 'follow', id: 'f', session: key })
    await frame(slow, 0)
    slow.socket.pause()
    // Far more than a socket holds: each of the changes would be a frame of a megabyte.
    const text = 'x'.repeat(1_000_000)
    for (let n = 0; n < 40; n++) {
      await server.ledger.append(story.says(`${text} ${n}`, 'big'))
      await sleep(25)
    }
    slow.socket.resume()
    await slow.until(() => framesOf(slow).some((each) => texts(each).some((text) => text.endsWith(' 39'))))
    expect(framesOf(slow).length).toBeLessThan(20)
    const follower = new Follower()
    for (const each of framesOf(slow)) follower.take(each)
    expect(follower.messages).toEqual(await foldOf(server.ledger, key))
  }, 60_000)
})
