import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, RemoraError } from '@remora/protocol/plain'
import type { Problem } from '../../agent.ts'
import { EventMaker } from '../../event-maker.ts'
import { fieldsOf, stringOf } from '../../fields.ts'
import type { Exit, Tree } from '../../process/spawn-tree.ts'
import { protectResume } from '../../protect-resume.ts'
import type { AgentRecord } from '../../read-record.ts'
import { acpReader } from './read-update.ts'
import { type RelayedAsk, RelayedAsks, keyOf, outcomeOf } from './relay-asks.ts'
import { LineTarget, byteLines } from './relay-lines.ts'
import { RelayRecord } from './relay-record.ts'
import type { RelayStart } from './relay-start.ts'
import type { RelayOptions, Relayed } from './relay.ts'

export interface Course extends RelayOptions {
  readonly start: RelayStart
  readonly tree: Tree
  readonly signal: AbortSignal
  /** The name of this connection. */
  readonly source: string
}

/** How long an agent may take to end once its stdin is closed, and how long the rest of its output may take. */
const graceMs = 2_000

/** From the start of an agent to its end. */
export class Relay {
  readonly #course: Course
  readonly #record: RelayRecord
  readonly #asks: RelayedAsks | undefined
  readonly #decided: (request: unknown, answer: Answer) => void
  readonly #toAgent: LineTarget
  readonly #toEditor: LineTarget
  /** Requests of the editor that wait for the agent. */
  readonly #requests = new Map<string, unknown>()
  readonly #protections: { finish(): Promise<Problem[]> }[] = []
  readonly #over = new AbortController()
  readonly #tell: (text: string) => void

  constructor(course: Course) {
    const { start, tree, source, sink, asks, output, tell = () => {} } = course
    this.#course = course
    this.#tell = tell
    const maker = new EventMaker({ agent: start.id, channel: 'acp', source })
    const reader = acpReader(maker, start.toClaude, start.remarks)
    this.#decided = (request, { by, device }) => reader.decided(request, by, device)
    this.#record = new RelayRecord(maker, reader, sink, (error) =>
      this.#say('Nothing is recorded any more', error),
    )
    this.#toAgent = new LineTarget(tree.stdin!, this.#over.signal)
    this.#toEditor = new LineTarget(output, this.#over.signal)
    if (asks)
      this.#asks = new RelayedAsks(asks, start.id, {
        answered: (about) => void this.#answeredElsewhere(about, true),
        failed: (error) => this.#say('Only the editor can answer', error),
      })
  }

  async run(): Promise<Relayed> {
    const { tree, signal, input, output } = this.#course
    tree.stderr.on('data', (chunk: Buffer) => this.#tell(chunk.toString('utf8')))
    tree.stderr.on('error', () => {})
    const stopped = new Promise<'signal'>((resolve) => {
      const stop = () => resolve('signal')
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true, signal: this.#over.signal })
    })
    // An editor that reads no more has gone, whatever it still writes.
    const unread = new Promise<'editor'>((resolve) => {
      output.on('error', () => resolve('editor'))
      output.once('close', () => resolve('editor'))
    })
    const spoken = this.#fromAgent()
    try {
      const by = await Promise.race([
        this.#fromEditor(),
        spoken.then(() => 'agent' as const),
        stopped,
        unread,
      ])
      return { by, ...(await this.#end(by, spoken)) }
    } finally {
      this.#over.abort()
      input.destroy()
    }
  }

  async #end(
    by: Relayed['by'],
    spoken: Promise<void>,
  ): Promise<{ exit: Exit; problems: readonly Problem[] }> {
    const { tree, start } = this.#course
    tree.stdin?.end()
    if (by === 'signal') this.#over.abort()
    if (by === 'editor' && !start.endBySignal) await within(graceMs, tree.exited)
    // What it started may have stayed behind, and may hold its output open.
    if (by !== 'agent') await tree.kill({ grace: graceMs })
    const exit = await tree.exited
    await within(graceMs, spoken)
    await this.#asks?.abandon()
    if (by === 'agent') await this.#refuse(exit)
    this.#record.ended(by === 'agent' ? this.#death(exit) : undefined)
    await this.#record.idle
    const problems = await Promise.all(this.#protections.map((each) => each.finish()))
    return { exit, problems: problems.flat() }
  }

  /** Ends when the editor hangs up. */
  async #fromEditor(): Promise<'editor'> {
    try {
      for await (const line of byteLines(this.#course.input)) {
        await this.#editorLine(line)
        await this.#record.idle
      }
    } catch (error) {
      // A stream that was cut is an end as well.
      if (RemoraError.is(error)) this.#say('The editor is not understood any more', error)
    }
    return 'editor'
  }

  /** Ends when the agent has. */
  async #fromAgent(): Promise<void> {
    const { tree } = this.#course
    void tree.exited.then(async () => {
      await sleep(500, undefined, { ref: false })
      // Somebody whom the agent left behind holds its output open.
      if (!tree.stdout.readableEnded) await tree.kill({ grace: 200 })
    })
    try {
      for await (const line of byteLines(tree.stdout)) {
        await this.#agentLine(line)
        await this.#record.idle
      }
    } catch (error) {
      if (RemoraError.is(error)) {
        this.#say(`${this.#course.start.title} is not understood any more`, error)
        await tree.kill()
      }
    }
    await tree.exited
  }

  async #editorLine(line: Buffer): Promise<void> {
    const text = line.toString('utf8')
    const message = messageIn(text)
    if (!message) return this.#noise('client', text, line)
    const { id, method } = message
    if (method === undefined) {
      const fate = await this.#asks?.editorReplied(message)
      if (fate?.won) this.#decided(id, fate.answer)
      else if (fate) {
        if (fate.told) await this.#answeredElsewhere(fate.told, false)
        this.#record.message('client', message, 'late answer of the editor')
        return
      }
    } else if (id !== undefined) {
      this.#requests.set(keyOf(id), id)
      if ((method === 'session/load' || method === 'session/resume') && !(await this.#protected(message)))
        return
    }
    this.#record.message('client', message)
    await this.#toAgent.write(line)
  }

  async #agentLine(line: Buffer): Promise<void> {
    const text = line.toString('utf8')
    const message = messageIn(text)
    if (!message) return this.#noise('agent', text, line)
    const { id, method } = message
    if (method === undefined) this.#requests.delete(keyOf(id))
    const events = this.#record.message('agent', message)
    await this.#toEditor.write(line)
    if (method === '$/cancel_request') this.#asks?.cancel(fieldsOf(message['params'])?.['requestId'])
    for (const event of events)
      if (event.type === 'ask') this.#asks?.open({ request: id, session: event.session, ask: event.ask })
  }

  async #noise(from: 'client' | 'agent', text: string, line: Buffer): Promise<void> {
    if (text.trim() !== '') this.#record.noise(from, text.replace(/\r?\n$/, ''))
    await (from === 'client' ? this.#toAgent : this.#toEditor).write(line)
  }

  /** The agent gets the answer at once, and the editor hears that nobody needs its own any more. */
  async #answeredElsewhere(
    { request, session, ask, answer }: RelayedAsk & { answer: Answer },
    pending: boolean,
  ): Promise<void> {
    const reply = { jsonrpc: '2.0', id: request, result: { outcome: outcomeOf(answer) } }
    this.#decided(request, answer)
    this.#record.message('client', reply)
    await this.#toAgent.send(reply)
    if (pending)
      await this.#toEditor.send({
        jsonrpc: '2.0',
        method: '$/cancel_request',
        params: { requestId: request },
      })
    if (ask.toolUse === undefined) return
    const effect = ask.options.find(({ id }) => id === answer.option)?.effect
    const status = effect === 'allow' || effect === 'allow_always' ? 'in_progress' : 'failed'
    const update = { sessionUpdate: 'tool_call_update', toolCallId: ask.toolUse, status }
    await this.#toEditor.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: session, update },
    })
  }

  /** Whether a session may be loaded now: some agents lose sessions that they load. */
  async #protected({ id, params }: AgentRecord): Promise<boolean> {
    const { start } = this.#course
    const signal = AbortSignal.any([this.#course.signal, this.#over.signal])
    const { sessionId, cwd } = fieldsOf(params) ?? {}
    const session = stringOf(sessionId)
    if (!start.agent || session === undefined) return true
    const place = { ...start.place, cwd: stringOf(cwd) ?? start.place.cwd }
    const waiting = setTimeout(
      () => this.#tell(`remora: ${start.title} can load ${session} safely in less than a minute; waiting\n`),
      500,
    )
    try {
      this.#protections.push(await protectResume(start.agent, session, place, { way: 'acp', signal }))
      return true
    } catch (error) {
      this.#requests.delete(keyOf(id))
      const message = `The session was not loaded, since it could not be protected: ${wordsOf(error)}`
      await this.#toEditor.send({ jsonrpc: '2.0', id, error: { code: -32603, message } })
      return false
    } finally {
      clearTimeout(waiting)
    }
  }

  /** An editor must not wait for a dead agent. */
  async #refuse(exit: Exit): Promise<void> {
    const message = this.#death(exit)
    for (const id of this.#requests.values()) {
      const reply = { jsonrpc: '2.0', id, error: { code: -32603, message } }
      this.#record.message('agent', reply)
      await within(graceMs, this.#toEditor.send(reply))
    }
    this.#requests.clear()
  }

  #death({ code, signal }: Exit): string {
    return `${this.#course.start.title} has ended with ${signal ?? `code ${code}`}`
  }

  #say(what: string, error: unknown): void {
    this.#tell(`remora: ${what}: ${wordsOf(error)}\n`)
  }
}

function messageIn(text: string): AgentRecord | undefined {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Waits for something, but not for ever. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const stop = new AbortController()
  try {
    await Promise.race([work, sleep(ms, undefined, { signal: stop.signal })])
  } finally {
    stop.abort()
  }
}
