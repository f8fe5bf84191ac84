import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { JsonError, parseJson } from '@remora/protocol/plain'
import { once } from 'node:events'
import { asRecord } from '../../events/fields.ts'
import { LineSplitter } from '../../process/lines.ts'
import type { Tree } from '../../process/spawn-tree.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** Receives every message on the wire, in order, before it is handled. */
export interface Tap {
  message(from: 'client' | 'agent', message: AgentRecord): void
  /** Receives a line that is not a message. */
  noise(line: string): void
}

/**
 * Exchanges messages with a process, one per line. Updates go only to the tap, because they are most of the traffic and
 * the protocol's library rejects unknown ones.
 *
 * @example const connection = client({ name: 'remora' }).connect(new Wire(tree, tap).stream)
 */
export class Wire {
  readonly stream: Stream
  readonly #tree: Tree
  readonly #tap: Tap
  readonly #splitter = new LineSplitter()
  /** The ids of our requests without a response. */
  readonly #asked = new Set<unknown>()
  #controller!: ReadableStreamDefaultController<AnyMessage>
  #ended = false
  #gone = false
  /** Resolves when all output has been read. */
  readonly ended: Promise<void>
  #settle!: () => void

  constructor(tree: Tree, tap: Tap) {
    this.#tree = tree
    this.#tap = tap
    this.ended = new Promise((resolve) => (this.#settle = resolve))
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => void (this.#controller = controller),
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#write(message) }),
    }
    tree.stdout.on('data', (chunk: Buffer) => this.#read(() => this.#splitter.push(chunk)))
    tree.stdout.on('error', () => this.#end())
    tree.stdout.on('end', () => {
      this.#read(() => this.#splitter.end())
      this.#end()
    })
    void tree.exited.then(() => this.#linger())
  }

  /** Pauses reading, which eventually stops the agent too. The remaining output of an ended agent is still read. */
  pause(): void {
    if (!this.#gone) this.#tree.stdout.pause()
  }

  resume(): void {
    this.#tree.stdout.resume()
  }

  async #write(message: AnyMessage): Promise<void> {
    const { stdin } = this.#tree
    const record = message as unknown as AgentRecord
    this.#tap.message('client', record)
    if (record['method'] !== undefined && record['id'] !== undefined) this.#asked.add(record['id'])
    if (!stdin || stdin.destroyed || stdin.writableEnded) throw new Error('The agent has ended')
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await once(stdin, 'drain')
  }

  #read(take: () => string[]): void {
    if (this.#ended) return
    try {
      for (const line of take()) this.#line(line)
    } catch {
      // The line is too long. Nothing after it can be parsed.
      this.#end()
    }
  }

  #line(line: string): void {
    if (line === '' || line === '\r') return
    let message: AgentRecord | undefined
    let fault: unknown
    try {
      message = asRecord(parseJson(line))
    } catch (error) {
      fault = error
    }
    if (!message) {
      this.#tap.noise(line)
      if (fault instanceof JsonError && fault.fault === 'depth') this.#refuse(line, fault)
      return
    }
    try {
      this.#tap.message('agent', message)
    } catch {
      // A message that a reader cannot handle must not end the connection.
      this.#tap.noise(line)
    }
    if (!this.#concerns(message)) return
    const whole = message['jsonrpc'] === '2.0' ? message : { ...message, jsonrpc: '2.0' }
    this.#controller.enqueue(whole as unknown as AnyMessage)
  }

  /** Settles the request behind a message that is nested too deeply: the agent's or ours. */
  #refuse(line: string, { message }: JsonError): void {
    const { id, method } = asRecord(parseJson(line, 'cut')) ?? {}
    if (id === undefined) return
    const error = { code: -32600, message }
    const reply = { jsonrpc: '2.0' as const, id: id as string | number, error }
    if (method !== undefined) void this.#write(reply).catch(() => {})
    else if (this.#asked.delete(id)) this.#controller.enqueue(reply)
  }

  /** Whether a response is expected: a request, or the response to one of ours. */
  #concerns(message: AgentRecord): boolean {
    if (message['method'] === undefined) return this.#asked.delete(message['id'])
    return message['method'] !== 'session/update' && typeof message['method'] === 'string'
  }

  /** A process that the agent left behind may keep its output open forever. */
  #linger(): void {
    this.#gone = true
    this.resume()
    if (this.#ended || this.#tree.stdout.destroyed) return
    // Available output is read first, even after the timeout.
    const timer = setTimeout(() => setImmediate(() => this.#end()), 500)
    this.#tree.stdout.once('close', () => clearTimeout(timer))
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#settle()
    try {
      this.#controller.close()
    } catch {
      // The reader has already ended.
    }
  }
}
