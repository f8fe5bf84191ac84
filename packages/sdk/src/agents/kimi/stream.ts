import type { Event } from '@remora/protocol/plain'
import { parseJson } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../../contract/agent.ts'
import type { Failure } from '../../events/classify-error.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asRecord, asString, defined } from '../../events/fields.ts'
import { type AgentRecord, readRecord } from '../../events/read-record.ts'
import type { KimiRequest } from './headless.ts'
import { toToolStatus } from './tool-status.ts'
import { toClaude } from './tools.ts'

/** Reads `--output-format stream-json`: messages in OpenAI's format, and `meta` records of Kimi itself. */
export function streamReader(maker: EventMaker, request: HeadlessRequest): HeadlessReader {
  return new StreamReader(maker, request)
}

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: KimiRequest
  readonly #run: string
  readonly #denials: unknown[] = []
  #isOpen = false
  #version: string | undefined
  #turns = 0

  constructor(maker: EventMaker, request: KimiRequest) {
    this.#maker = maker
    this.#request = request
    this.#run = `${maker.source}/${maker.started()}`
    maker.session ||= request.resume ?? ''
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, (record) => {
      this.#maker.next()
      const type = asString(record['type'])
      if (record['role'] === 'meta' && type === 'system.version') {
        // The session does not exist yet.
        this.#version = asString(record['version'])
        return []
      }
      this.#maker.session ||= asString(record['session_id']) ?? this.#request.findSession?.() ?? ''
      const fields = this.#fields(record, type)
      if (!fields) return undefined
      if (fields[0]) fields[0].raw = record
      return [...this.#open(), ...fields].map((each) => this.#maker.make(each))
    })
  }

  end(exit: { code: number | null }, stderr: string): Outcome {
    this.#maker.session ||= this.#request.findSession?.() ?? ''
    const about = {
      ...(this.#turns > 0 ? { turns: this.#turns } : {}),
      ...(this.#denials.length > 0 ? { permissionDenials: this.#denials } : {}),
    }
    return exit.code === 0
      ? { ok: true, ...about }
      : { ok: false, failure: findFailure(exit.code, stderr), ...about }
  }

  /** The output has no prompt. */
  #open(): EventFields[] {
    if (this.#isOpen) return []
    this.#isOpen = true
    const { prompt, model, resume } = this.#request
    const resumed = resume === undefined ? undefined : true
    const about = defined({ model, resumed, version: this.#version })
    return [
      { type: 'session', entity: this.#maker.session, ...about },
      {
        type: 'message',
        entity: `${this.#run}/prompt`,
        role: 'user',
        content: [{ type: 'text', text: prompt }],
      },
    ]
  }

  #fields(record: AgentRecord, type: string | undefined): EventFields[] | undefined {
    switch (record['role']) {
      case 'assistant':
        return this.#answer(record)
      case 'tool':
        return this.#result(record)
      case 'meta':
        return type === 'turn.step.retrying' ? [this.#retry(record)] : []
      default:
        // The summary of a goal.
        return type?.startsWith('goal.') ? [] : undefined
    }
  }

  #answer(record: AgentRecord): EventFields[] {
    const message = `${this.#run}/${++this.#turns}`
    const text = asString(record['content']) ?? ''
    const calls = Array.isArray(record['tool_calls']) ? (record['tool_calls'] as unknown[]) : []
    return [
      { type: 'message', entity: message, role: 'assistant' },
      ...(text === ''
        ? []
        : [{ type: 'text', entity: `${message}/text`, message, offset: 0, text, final: true } as const]),
      ...calls.flatMap((call) => this.#call(asRecord(call) ?? {}, message)),
    ]
  }

  #call(call: AgentRecord, message: string): EventFields[] {
    const about = asRecord(call['function']) ?? {}
    const name = asString(about['name'])
    const id = asString(call['id'])
    if (name === undefined || id === undefined) return []
    const input = parseArguments(asString(about['arguments']) ?? '{}')
    const native = { name, input }
    return [{ type: 'tool_use', entity: this.#entity(id), message, ...toClaude(name, input), native }]
  }

  #result(record: AgentRecord): EventFields[] | undefined {
    const id = asString(record['tool_call_id'])
    if (id === undefined) return undefined
    const content = asString(record['content']) ?? ''
    const status = toToolStatus(content)
    if (status === 'denied') this.#denials.push({ tool_use_id: id })
    return [{ type: 'tool_result', entity: this.#entity(id), status, content }]
  }

  /** As over ACP, because a model may use an id again in another turn. */
  #entity(id: string): string {
    return `${this.#request.turn ?? 0}:${id}`
  }

  #retry(record: AgentRecord): EventFields {
    const detail = asString(record['error_message'])
    return { type: 'status', entity: this.#maker.session, status: 'retrying', ...defined({ detail }) }
  }
}

function parseArguments(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** The error is a line on stderr, among the output of commands. */
function findFailure(code: number | null, stderr: string): Failure {
  const line = [...stderr.matchAll(/^error: (?:failed to run prompt: )?(.+)$/gm)].at(-1)?.[1]
  if (line === undefined) {
    const last = stderr.trim().split('\n').at(-1)
    return { message: last || `Kimi Code ended with code ${code} and without a result` }
  }
  return toFailure(line)
}

/** @example toFailure('provider.rate_limit: 429 Rate limit reached') // { status: 429, … } */
export function toFailure(text: string, type?: string): Failure {
  const [, code, status, message] = /^(?:([a-z_]+\.[a-z_.]+): )?(?:([45]\d\d) )?(.*)$/s.exec(text) ?? []
  return {
    message: message || text,
    ...(status === undefined ? {} : { status: Number(status) }),
    ...defined({ type: code ?? type }),
  }
}
