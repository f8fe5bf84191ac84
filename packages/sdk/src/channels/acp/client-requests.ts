import { RemoraError } from '@remora/protocol/plain'
import type { AgentRecord } from '../../events/read-record.ts'
import type { AgentRequest } from './agent-process.ts'
import { Workspace } from './files/workspace.ts'
import type { ConnectOptions } from './options.ts'
import { decide } from './permissions/decide.ts'
import { isReadOnly, rulePlan } from './permissions/plan-mode.ts'
import { readQuestion } from './permissions/question.ts'
import type { AcpReader } from './reading/read-update.ts'
import { Terminals } from './terminals/terminals.ts'
import type { KnownCall } from './reading/tool-calls.ts'

export interface RequestsOptions {
  readonly agent: string
  readonly session: string
  readonly cwd: string
  readonly options: ConnectOptions
  /** The environment of commands that the agent runs through the client. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly reader: AcpReader
  /** Reports why an ask was not settled by the permissions or the user. */
  readonly warn: (ask: string, problem: RemoraError) => void
  /** Finds the caller's own tool that a request is about, if any. */
  readonly hostTool: (params: AgentRecord, reported: AgentRecord) => string | undefined
}

/** Answers the requests of an agent in one session: permissions, files, commands. */
export class ClientRequests {
  readonly #about: RequestsOptions
  readonly #workspace: Workspace
  readonly #terminals: Terminals | undefined
  readonly #pending = new Set<AbortController>()
  /** Whether the session is in plan mode. Only the caller or the user ends it, not the agent. */
  planning = false
  #working = 0

  constructor(about: RequestsOptions) {
    this.#about = about
    const { files, terminals } = about.options
    this.#workspace = new Workspace(about.cwd, files ?? {})
    this.#terminals = terminals
      ? new Terminals(about.cwd, { env: about.env, ...(typeof terminals === 'object' ? terminals : {}) })
      : undefined
  }

  /** Whether a request of the agent runs, or the user is asked. */
  get busy(): boolean {
    return this.#working > 0
  }

  async answer(request: AgentRequest): Promise<unknown> {
    this.#working++
    try {
      return await this.#answer(request)
    } finally {
      this.#working--
    }
  }

  async #answer({ method, params, id, signal }: AgentRequest): Promise<unknown> {
    switch (method) {
      case 'session/request_permission':
        return this.#permission(params, id, signal)
      case 'fs/read_text_file':
        return this.#workspace.read(params)
      case 'fs/write_text_file':
        if (this.planning) throw readOnlyError()
        return this.#workspace.write(params)
      default:
        return this.#terminal(method, params, signal)
    }
  }

  /** Settles every pending request as cancelled. */
  cancel(): void {
    for (const controller of this.#pending) controller.abort()
  }

  async close(): Promise<void> {
    this.cancel()
    await this.#terminals?.closeAll()
  }

  async #terminal(method: string, params: AgentRecord, signal: AbortSignal): Promise<unknown> {
    const terminals = this.#terminals
    if (!terminals) throw unknownMethod(method)
    switch (method) {
      case 'terminal/create':
        if (this.planning && !isReadOnly(getCommand(params))) throw readOnlyError()
        return terminals.create(params)
      case 'terminal/output':
        return terminals.output(params)
      case 'terminal/wait_for_exit':
        return terminals.waitForExit(params, signal)
      case 'terminal/kill':
        return terminals.kill(params)
      case 'terminal/release':
        return terminals.release(params)
      default:
        throw unknownMethod(method)
    }
  }

  async #permission(params: AgentRecord, id: unknown, signal: AbortSignal): Promise<unknown> {
    const { agent, session, cwd, options, reader, hostTool } = this.#about
    // The reader has already seen the request, and with it the call.
    const ask = reader.ask(id)
    if (!ask) throw unknownMethod('session/request_permission')
    const { reported, ...known } = reader.call(session, ask.toolUse ?? '') ?? unknownCall(ask.title)
    const own = hostTool(params, reported)
    // Rules use the caller's name of the tool.
    const call = own === undefined ? known : { ...known, native: own }
    const about = { agent, session, cwd, ask, call, known: reported, host: own !== undefined }
    const question = readQuestion(params, about)
    const controller = new AbortController()
    this.#pending.add(controller)
    const abort = (): void => controller.abort()
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    try {
      const { permissions = options.asks ? 'ask' : 'deny', asks } = options
      const { planning } = this
      const how = { permissions, planning, signal: controller.signal, ...(asks ? { asks } : {}) }
      const { option, by, device, reason, problem } = await decide(question, how)
      const isAllowed = option?.effect === 'allow' || option?.effect === 'allow_always'
      if (planning && isAllowed && rulePlan(question) === 'leave') this.planning = false
      reader.decided(id, by, device)
      if (problem) this.#about.warn(ask.id, problem)
      else if (reason !== undefined) this.#about.warn(ask.id, new RemoraError('permission', reason))
      return { outcome: option ? { outcome: 'selected', optionId: option.id } : { outcome: 'cancelled' } }
    } finally {
      signal.removeEventListener('abort', abort)
      this.#pending.delete(controller)
    }
  }
}

function readOnlyError(): RemoraError {
  return new RemoraError('permission', 'Plan mode is read-only')
}

/** Formats the command line of a `terminal/create`. */
function getCommand({ command, args }: AgentRecord): string {
  return [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].map(String).join(' ')
}

function unknownCall(title: string): KnownCall {
  return { name: title, native: title, input: undefined, reported: {} }
}

export function unknownMethod(method: string): RemoraError {
  return new RemoraError('unsupported', `There is no method ${method} here`)
}
