import type { Event } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../../contract/agent.ts'
import type { Failure } from '../../events/classify-error.ts'
import { type EventFields, type EventMaker, parseTime } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../events/fields.ts'
import { type AgentRecord, readRecord } from '../../events/read-record.ts'
import { EventReader, toFailure } from './event-reader.ts'

/** Reads the output of `--output-format json`: the records of the session, and a `result`. */
export function streamReader(maker: EventMaker, request: HeadlessRequest): HeadlessReader {
  return new StreamReader(maker, request)
}

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: HeadlessRequest
  readonly #reader: EventReader
  readonly #denials: unknown[] = []
  /** The calls that were reported, first by a message and then when they start. */
  readonly #calls = new Set<string>()
  #opened = false
  #turns = 0
  #failure: Failure | undefined
  #result: AgentRecord | undefined

  constructor(maker: EventMaker, request: HeadlessRequest) {
    this.#maker = maker
    this.#request = request
    this.#reader = new EventReader(maker)
    // Only the last line names the session, which the run has chosen.
    maker.session ||= request.sessionId ?? request.resume ?? ''
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, (record) => {
      this.#maker.next(parseTime(record['timestamp']))
      const result = record['type'] === 'result'
      if (result) this.#end(record)
      const fields = result ? [] : this.#reader.read(record)?.filter((each) => !this.#isRepeated(each))
      if (fields === undefined) return undefined
      if (fields[0]) fields[0].raw = record
      this.#count(record, fields)
      return [...this.#open(), ...fields].map((each) => this.#maker.make(each))
    })
  }

  end(exit: { code: number | null }, stderr: string): Outcome {
    const details = {
      ...(this.#turns > 0 ? { turns: this.#turns } : {}),
      ...(this.#denials.length > 0 ? { permissionDenials: this.#denials } : {}),
    }
    const code = asCount(this.#result?.['exitCode']) ?? exit.code
    if (!this.#failure && this.#result && code === 0) return { ok: true, ...details }
    return { ok: false, failure: this.#failure ?? { message: findReason(stderr, code) }, ...details }
  }

  #open(): EventFields[] {
    if (this.#opened) return []
    this.#opened = true
    const { model, resume } = this.#request
    const resumed = resume === undefined ? undefined : true
    return [{ type: 'session', entity: this.#maker.session, ...defined({ model, resumed }) }]
  }

  #end(result: AgentRecord): void {
    this.#result = result
    this.#maker.session ||= asString(result['sessionId']) ?? ''
  }

  #isRepeated({ type, entity }: EventFields): boolean {
    if (type !== 'tool_use') return false
    const isKnown = this.#calls.has(entity)
    this.#calls.add(entity)
    return isKnown
  }

  #count(record: AgentRecord, fields: readonly EventFields[]): void {
    if (record['agentId'] !== undefined) return
    if (record['type'] === 'assistant.message') this.#turns++
    if (record['type'] === 'session.error') this.#failure = toFailure(asRecord(record['data']) ?? {})
    for (const each of fields)
      if (each.type === 'tool_result' && each.status === 'denied')
        this.#denials.push({ tool_use_id: each.entity })
  }
}

/** An error at the start is a line of text, followed by a help text. */
function findReason(stderr: string, code: number | null): string {
  const line = /^(?:Error|error): *(.+)$/m.exec(stderr)?.[1] ?? stderr.trim().split('\n', 1)[0]
  return line || `GitHub Copilot CLI ended with code ${code} and without a result`
}
