import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, RemoraError, parseJson } from '@remora/protocol/plain'
import type { Problem, ProtectedResume } from '../../../contract/agent.ts'
import { EventMaker } from '../../../events/event-maker.ts'
import { asRecord, asString } from '../../../events/fields.ts'
import type { Exit, Tree } from '../../../process/spawn-tree.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { toReaderQuirks } from '../reading/acp-reader.ts'
import { acpReader } from '../reading/read-update.ts'
import { waitAtMost } from '../../../runs/waiter.ts'
import type { FoundAgent } from '../found-agent.ts'
import { type RelayedAsk, RelayedAsks, toKey, toOutcome } from './asks.ts'
import { LineTarget, byteLines } from './lines.ts'
import { RelayRecord } from './record.ts'
import type { RelayOptions, Relayed } from './relay.ts'

export interface RelayRun extends RelayOptions {
  readonly found: FoundAgent
  readonly tree: Tree
  readonly signal: AbortSignal
  /** The name of this connection. */
  readonly source: string
}

/** How long an agent may take to exit after its stdin was closed, and to finish its output. */
const graceMs = 2_000

/** One run of an agent, from start to exit. */
export class Relay {
  readonly #run: RelayRun
  readonly #record: RelayRecord
  readonly #asks: RelayedAsks | undefined
  readonly #decided: (request: unknown, answer: Answer) => void
  readonly #toAgent: LineTarget
  readonly #toEditor: LineTarget
  /** Requests of the editor without a response. */
  readonly #requests = new Map<string, AgentRecord>()
  readonly #over = new AbortController()
  readonly #loads: RelayLoads
  readonly #log: (text: string) => void

  constructor(options: RelayRun) {
    const { found, tree, source, sink, asks, output, log = () => {} } = options
    this.#run = options
    this.#log = log
    const maker = new EventMaker({ agent: found.id, channel: 'acp', source })
    const reader = acpReader(maker, found.acp.toClaude, toReaderQuirks(found.acp, found.quirks))
    this.#decided = (request, { by, device }) => reader.decided(request, by, device)
    this.#record = new RelayRecord(maker, reader, sink, (error) =>
      this.#say('Nothing is recorded any more', error),
    )
    this.#toAgent = new LineTarget(tree.stdin!, this.#over.signal)
    this.#toEditor = new LineTarget(output, this.#over.signal)
    const until = AbortSignal.any([options.signal, this.#over.signal])
    this.#loads = new RelayLoads(found, until, log)
    if (asks)
      this.#asks = new RelayedAsks(asks, found.id, {
        answered: (about) => void this.#answeredElsewhere(about, true),
        failed: (error) => this.#say('Only the editor can answer', error),
      })
  }

  async run(): Promise<Relayed> {
    const { tree, signal, input, output } = this.#run
    tree.stderr.on('data', (chunk: Buffer) => this.#log(chunk.toString('utf8')))
    tree.stderr.on('error', () => {})
    const stopped = new Promise<'signal'>((resolve) => {
      const stop = () => resolve('signal')
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true, signal: this.#over.signal })
    })
    // An editor that no longer reads has ended, whatever it still writes.
    const unread = new Promise<'editor'>((resolve) => {
      output.on('error', () => resolve('editor'))
      output.once('close', () => resolve('editor'))
    })
    const spoken = this.#fromAgent()
    void this.#followCancels()
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
    const { tree, found } = this.#run
    tree.stdin?.end()
    if (by === 'signal') this.#over.abort()
    if (by === 'editor' && !found.quirks.endBySignal) await waitAtMost(tree.exited, graceMs)
    // Its child processes may still run and keep its output open.
    if (by !== 'agent') await tree.kill({ grace: graceMs })
    const exit = await tree.exited
    await waitAtMost(spoken, graceMs)
    await this.#asks?.abandon()
    if (by === 'agent') await this.#refuse(exit)
    this.#record.ended(by === 'agent' ? this.#death(exit) : undefined)
    await this.#record.idle
    return { exit, problems: await this.#loads.finish() }
  }

  /** Ends when the editor closes its side. */
  async #fromEditor(): Promise<'editor'> {
    try {
      for await (const line of byteLines(this.#run.input)) {
        await this.#editorLine(line)
        await this.#record.idle
      }
    } catch (error) {
      // A broken stream is an end as well.
      if (RemoraError.is(error)) this.#say('The editor is not understood any more', error)
    }
    return 'editor'
  }

  /** Ends when the agent exits. */
  async #fromAgent(): Promise<void> {
    const { tree } = this.#run
    void tree.exited.then(async () => {
      await sleep(500, undefined, { ref: false })
      // A process that the agent left behind keeps its output open.
      if (!tree.stdout.readableEnded) await tree.kill({ grace: 200 })
    })
    try {
      for await (const line of byteLines(tree.stdout)) {
        await this.#agentLine(line)
        await this.#record.idle
      }
    } catch (error) {
      if (RemoraError.is(error)) {
        this.#say(`${this.#run.found.title} is not understood any more`, error)
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
        if (fate.decided) await this.#answeredElsewhere(fate.decided, false)
        this.#record.message('client', message, 'late answer of the editor')
        return
      }
    } else if (id !== undefined) this.#requests.set(toKey(id), message)
    this.#record.message('client', message)
    if (!RelayLoads.concerns(message)) return this.#toAgent.write(line)
    // Loading a session safely may take a minute, and messages of other sessions must not wait for it.
    void this.#load(message, line)
  }

  async #load(message: AgentRecord, line: Buffer): Promise<void> {
    const obstacle = await this.#loads.protect(message)
    if (obstacle === undefined) await this.#toAgent.write(line)
    else await this.#refuseOne(message, obstacle)
  }

  async #agentLine(line: Buffer): Promise<void> {
    const text = line.toString('utf8')
    const message = messageIn(text)
    if (!message) return this.#noise('agent', text, line)
    const { id, method } = message
    if (method === undefined) this.#requests.delete(toKey(id))
    const events = this.#record.message('agent', message)
    const written = this.#toEditor.write(line)
    // Registered at once, because a slow editor may reply before the write has resolved.
    for (const event of events)
      if (event.type === 'ask') this.#asks?.open({ request: id, session: event.session, ask: event.ask })
    await written
    if (method === '$/cancel_request') this.#asks?.cancel(asRecord(message['params'])?.['requestId'])
  }

  async #noise(from: 'client' | 'agent', text: string, line: Buffer): Promise<void> {
    if (text.trim() !== '') this.#record.noise(from, text.replace(/\r?\n$/, ''))
    await (from === 'client' ? this.#toAgent : this.#toEditor).write(line)
  }

  /** Sends the answer to the agent at once and notifies the editor that its own is not needed. */
  async #answeredElsewhere(
    { request, session, ask, answer }: RelayedAsk & { answer: Answer },
    pending: boolean,
  ): Promise<void> {
    const reply = { jsonrpc: '2.0', id: request, result: { outcome: toOutcome(answer) } }
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

  async #followCancels(): Promise<void> {
    try {
      await this.#run.cancels?.follow({
        agent: this.#run.found.id,
        has: (session) => this.#record.has(session),
        cancel: (session) => this.#cancel(session),
        signal: this.#over.signal,
      })
    } catch (error) {
      if (!this.#over.signal.aborted) this.#say('Only the editor can cancel', error)
    }
  }

  /** Cancels like the editor would: asks of the agent are answered as cancelled too. */
  async #cancel(session: string): Promise<boolean> {
    const working = [...this.#requests.values()].some(
      ({ method, params }) => method === 'session/prompt' && asRecord(params)?.['sessionId'] === session,
    )
    if (!working) return false
    const cancel = { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } }
    this.#record.message('client', cancel)
    await this.#toAgent.send(cancel)
    for (const about of this.#asks?.withdraw(session) ?? []) await this.#answeredElsewhere(about, true)
    return true
  }

  /** Answers the pending requests of the editor, because the agent is dead. */
  async #refuse(exit: Exit): Promise<void> {
    for (const request of this.#requests.values())
      await waitAtMost(this.#refuseOne(request, this.#death(exit)), graceMs)
  }

  async #refuseOne(request: AgentRecord, message: string): Promise<void> {
    const reply = { jsonrpc: '2.0', id: request['id'], error: { code: -32603, message } }
    this.#requests.delete(toKey(request['id']))
    this.#record.message('agent', reply)
    await this.#toEditor.send(reply)
  }

  #death({ code, signal }: Exit): string {
    return `${this.#run.found.title} has ended with ${signal ?? `code ${code}`}`
  }

  #say(what: string, error: unknown): void {
    this.#log(`remora: ${what}: ${getErrorText(error)}\n`)
  }
}

function messageIn(text: string): AgentRecord | undefined {
  try {
    return asRecord(parseJson(text))
  } catch {
    return undefined
  }
}

function getErrorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The delay after which the user is told why nothing happens. */
const silentMs = 500

/** Protects sessions that the editor lets the agent load, because some agents damage them. */
class RelayLoads {
  readonly #found: FoundAgent
  readonly #signal: AbortSignal
  readonly #log: (text: string) => void
  readonly #protections: ProtectedResume[] = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #over = new AbortController()

  constructor(found: FoundAgent, signal: AbortSignal, log: (text: string) => void) {
    this.#found = found
    this.#signal = signal
    this.#log = log
  }

  /** Whether a message makes the agent load a session. */
  static concerns({ method }: AgentRecord): boolean {
    return method === 'session/load' || method === 'session/resume'
  }

  /** Resolves when a request may be forwarded, which can take a minute; with a reason if it must not be. */
  async protect({ params }: AgentRecord): Promise<string | undefined> {
    const { title, place, protect } = this.#found
    const { sessionId, cwd } = asRecord(params) ?? {}
    const session = asString(sessionId)
    if (session === undefined) return undefined
    const waiting = setTimeout(
      () => this.#log(`remora: ${title} can load ${session} safely within a minute; waiting\n`),
      silentMs,
    )
    const where = { ...place, cwd: asString(cwd) ?? place.cwd }
    try {
      const signal = AbortSignal.any([this.#signal, this.#over.signal])
      const protecting = protect(where, session, signal)
      this.#pending.add(protecting)
      this.#protections.push(await protecting.finally(() => this.#pending.delete(protecting)))
      return undefined
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `The session was not loaded, since it could not be protected: ${why}`
    } finally {
      clearTimeout(waiting)
    }
  }

  /** Call it when the agent has ended. Returns the problems of the sessions. */
  async finish(): Promise<Problem[]> {
    // A session that is still being protected has a copy or will have one.
    this.#over.abort()
    await Promise.allSettled(this.#pending)
    await Promise.resolve()
    return (await Promise.all(this.#protections.map((each) => each.finish()))).flat()
  }
}
