import { PassThrough } from 'node:stream'
import type { Event, EventSink } from '@remora/protocol'
import { asRecord } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { fakeAgent } from '../fake-agent/command.test-data.ts'
import { type RelayOptions, type Relayed, relay } from './relay.ts'

/** An editor that acts only when the test calls it. */
export class Editor {
  readonly input = new PassThrough()
  readonly output = new PassThrough()
  /** Everything it received: the lines, and the messages among them. */
  readonly lines: string[] = []
  readonly messages: AgentRecord[] = []
  readonly #waiting = new Set<{ fits(message: AgentRecord): boolean; found(message: AgentRecord): void }>()
  #rest = ''
  #ids = 0

  constructor() {
    this.output.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n')
      this.#rest = lines.pop()!
      for (const line of lines) this.#receive(line)
    })
  }

  #receive(line: string): void {
    this.lines.push(line)
    const message = messageIn(line)
    if (!message) return
    this.messages.push(message)
    for (const waiter of this.#waiting) {
      if (!waiter.fits(message)) continue
      this.#waiting.delete(waiter)
      waiter.found(message)
    }
  }

  write(message: object): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** Sends a request and waits for its response. */
  async request(method: string, params: object): Promise<AgentRecord> {
    const id = `editor-${++this.#ids}`
    this.write({ id, method, params })
    return this.wait((message) => message['id'] === id && message['method'] === undefined)
  }

  async open(): Promise<string> {
    await this.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { result } = await this.request('session/new', { cwd: '/home/me', mcpServers: [] })
    return (result as { sessionId: string }).sessionId
  }

  prompt(sessionId: string, text: string): Promise<AgentRecord> {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  }

  reply(id: unknown, optionId: string): void {
    this.write({ id, result: { outcome: { outcome: 'selected', optionId } } })
  }

  /** The first matching message, received or future. */
  wait(fits: (message: AgentRecord) => boolean): Promise<AgentRecord> {
    const there = this.messages.find(fits)
    if (there) return Promise.resolve(there)
    return new Promise((found) => this.#waiting.add({ fits, found }))
  }

  /** The n-th permission request. */
  async asked(count = 1): Promise<AgentRecord> {
    const requests = () => this.messages.filter(({ method }) => method === 'session/request_permission')
    return requests()[count - 1] ?? this.wait((message) => message === requests()[count - 1])
  }
}

function messageIn(line: string): AgentRecord | undefined {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    return undefined
  }
}

/** A relay between an editor and the fake agent, with its events and logs. */
export function relayed(behaviour: Readonly<Record<string, unknown>> = {}, more: Partial<RelayOptions> = {}) {
  const editor = new Editor()
  const events: Event[] = []
  const logged: string[] = []
  const sink: EventSink = { write: (event) => void events.push(event) }
  const stop = new AbortController()
  const done: Promise<Relayed> = relay({
    agent: fakeAgent(behaviour),
    input: editor.input,
    output: editor.output,
    sink,
    signal: stop.signal,
    log: (text) => void logged.push(text),
    ...more,
  })
  return {
    editor,
    events,
    logged,
    stop,
    done,
    async [Symbol.asyncDispose]() {
      editor.input.end()
      await done.catch(() => {})
    },
  }
}
