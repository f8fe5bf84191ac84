import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { edit, hello, TestHome } from '../../sessions/home.test-data.ts'
import { serveMcp } from './serve-mcp.ts'

interface Reply {
  readonly id: number
  readonly result?: {
    readonly tools?: {
      name: string
      inputSchema: { required: string[] }
      annotations: { readOnlyHint: boolean }
    }[]
    readonly content?: { text: string }[]
    readonly isError?: boolean
    readonly serverInfo?: { name: string }
  }
}

/** A client that speaks the protocol line by line. */
class Client {
  readonly #input = new PassThrough()
  readonly #output = new PassThrough()
  readonly #replies = new Map<number, Reply>()
  readonly ended: Promise<number>
  #next = 0

  constructor(home: TestHome) {
    let rest = ''
    this.#output.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const reply = JSON.parse(line) as Reply
        this.#replies.set(reply.id, reply)
      }
    })
    const io = {
      env: { HOME: home.path, PATH: '' },
      cwd: home.path,
      home: home.path,
      platform: 'linux' as const,
      terminal: false,
      out: () => expect.fail('Standard output belongs to the protocol'),
      err: () => {},
    }
    this.ended = serveMcp(io, { input: this.#input, output: this.#output })
  }

  async ask(method: string, params: object = {}): Promise<NonNullable<Reply['result']>> {
    const id = this.#next++
    this.#input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    await vi.waitUntil(() => this.#replies.has(id), { timeout: 60_000 })
    return this.#replies.get(id)!.result!
  }

  async call(name: string, input: object = {}): Promise<{ text: string; isError: boolean }> {
    const { content, isError } = await this.ask('tools/call', { name, arguments: input })
    return { text: content![0]!.text, isError: isError === true }
  }

  async begin(): Promise<NonNullable<Reply['result']>> {
    const about = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const greeting = await this.ask('initialize', about)
    this.#input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    return greeting
  }

  close(): Promise<number> {
    this.#input.end()
    return this.ended
  }
}

let home: TestHome
let client: Client
beforeEach(async () => {
  home = new TestHome()
  await home.add(hello)
  await home.add(edit)
  client = new Client(home)
  await client.begin()
})
afterEach(async () => {
  await client.close()
  home[Symbol.dispose]()
})

it('offers tools to read and prompt, and none to approve or to add agents', async () => {
  const { tools } = await client.ask('tools/list')
  expect(tools!.map(({ name }) => name)).toEqual([
    'list_sessions',
    'search',
    'read_session',
    'live_sessions',
    'prompt',
    'wait',
  ])
  expect(tools!.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name)).toEqual([
    'prompt',
  ])
  expect(tools!.find(({ name }) => name === 'prompt')!.inputSchema.required).toEqual(['session', 'text'])
})

it('lists, searches and reads sessions of other agents', async () => {
  const { sessions } = JSON.parse((await client.call('list_sessions')).text) as {
    sessions: { session: string; agent: string; title: string }[]
  }
  expect(sessions.map(({ session }) => session).sort()).toEqual([hello.id, edit.id])
  expect(JSON.parse((await client.call('list_sessions', { agent: 'gemini' })).text)).toMatchObject({
    sessions: [{ session: edit.id }],
  })
  const { text: read } = await client.call('read_session', { session: edit.id.slice(0, 6) })
  expect(read).toContain(edit.id)
  const [word] = /\w{5,}/.exec(sessions.find(({ agent }) => agent === 'gemini')!.title)!
  const found = JSON.parse((await client.call('search', { text: word })).text) as {
    hits: { session: string }[]
  }
  expect(found.hits.map(({ session }) => session)).toContain(edit.id)
})

it('explains invalid calls to the model', async () => {
  expect(await client.call('search')).toEqual({ text: 'search needs "text"', isError: true })
  expect(await client.call('search', { text: 1 })).toMatchObject({ isError: true })
  expect((await client.call('search', { words: 'x' })).text).toContain('Available: text, agent, cwd, limit')
  expect((await client.call('answer', { ask: '1' })).text).toContain('Unknown tool answer')
  expect((await client.call('read_session', { session: 'nope' })).text).toBe(
    'No session "nope"\nList sessions: remora sessions',
  )
  expect(await client.call('list_sessions', { wait_for_previous: true })).toMatchObject({ isError: false })
})

it('stops when its input ends', async () => {
  expect(await client.close()).toBe(0)
})
