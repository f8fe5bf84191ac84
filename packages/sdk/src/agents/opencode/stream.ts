import type { ErrorCode, Event } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../../contract/agent.ts'
import { type Failure, classifyError } from '../../events/classify-error.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, findOwn } from '../../events/fields.ts'
import { type AgentRecord, readRecord } from '../../events/read-record.ts'
import { toPromptBlocks } from '../../dialects/prompt-blocks.ts'
import { toCall, toFailure, toUsage } from './parts.ts'

/** Reads `run --format json`: step_start, text, reasoning, tool_use, step_finish, error. */
export function streamReader(maker: EventMaker, request: HeadlessRequest): HeadlessReader {
  return new StreamReader(maker, request)
}

/** How many consecutive failed requests to wait for. The pauses between them double. */
const maxRetries = 2

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: HeadlessRequest
  readonly #run: string
  readonly #servers: readonly string[]
  readonly #denials: unknown[] = []
  #opened = false
  #steps = 0
  /** Consecutive failed requests. */
  #attempts = 0
  #lastRetry = ''
  /** The started step without output, and whether the log reported a failure since. */
  #begun: string | undefined
  #logged = false
  #cost = 0
  #reason: string | undefined
  #failure: Failure | undefined

  constructor(maker: EventMaker, request: HeadlessRequest) {
    this.#maker = maker
    this.#request = request
    this.#servers = Object.keys(request.mcpServers ?? {})
    // A run may start the CLI several times; each start has its own prompt.
    this.#run = `${maker.source}/${maker.started()}`
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, (record) => {
      this.#maker.next(asCount(record['timestamp']))
      this.#count(record)
      const opening = this.#open(record).map((each) => this.#maker.make(each))
      const fields = this.#fields(record, asRecord(record['part']) ?? {})
      if (!fields) return [...opening, this.#unknown(record)]
      const events = fields.map((each, index) =>
        this.#maker.make({ ...each, ...(index === 0 ? { raw: record } : {}) }),
      )
      return [...opening, ...events]
    })
  }

  /** A step that starts again was cut off, which the log does not always report. Any other output means progress. */
  #count(record: AgentRecord): void {
    const step =
      record['type'] === 'step_start' ? asString(asRecord(record['part'])?.['messageID']) : undefined
    if (step === undefined) this.#attempts = 0
    else if (step === this.#begun && !this.#logged) {
      this.#attempts++
      this.#lastRetry = 'The connection was lost'
    }
    this.#begun = step
    this.#logged = false
  }

  /** OpenCode retries a failed request without end, with growing pauses; only its log reports it. */
  readError(line: string): Event[] {
    if (!/\blevel=ERROR\b.*\bmessage="stream error"/.test(line) || /\bsmall=true\b/.test(line)) return []
    const detail = /\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.slice(0, 500)
    this.#maker.next()
    // There may be no output yet, so the session is only known from the log.
    const opening = this.#open({ sessionID: /\bsession\.id=(\S+)/.exec(line)?.[1] })
    const again = !final.has(classifyError({ message: detail }).code)
    const value = { attempt: ++this.#attempts }
    this.#lastRetry = detail
    this.#logged = true
    const retrying = { type: 'status', entity: this.#run, status: 'retrying', detail, value } as const
    return [...opening, ...(again ? [retrying] : [])].map((each) => this.#maker.make(each))
  }

  /** OpenCode never gives up, so the run ends it after several consecutive failures. */
  findStopReason(): Failure | undefined {
    return this.#attempts > maxRetries ? { message: this.#lastRetry } : undefined
  }

  /** The exit code is 0 unless there was an error, which the output reports as well. */
  end(exit: { code: number | null }, stderr: string): Outcome {
    const about = {
      ...(this.#steps > 0 ? { turns: this.#steps, costUsd: this.#cost } : {}),
      ...(this.#denials.length > 0 ? { permissionDenials: this.#denials } : {}),
      ...(this.#reason === undefined
        ? {}
        : { stopReason: findOwn(stopReasons, this.#reason) ?? this.#reason }),
    }
    if (!this.#failure && exit.code === 0 && this.#opened) return { ok: true, ...about }
    return { ok: false, failure: this.#failure ?? { message: explain(exit.code, stderr) }, ...about }
  }

  #open(record: AgentRecord): EventFields[] {
    const id = asString(record['sessionID'])
    if (this.#opened || id === undefined) return []
    this.#opened = true
    this.#maker.session = id
    const { model, resume } = this.#request
    return [
      // OpenCode does not report its model, so only a requested one is known.
      {
        type: 'session',
        entity: id,
        ...(model === undefined ? {} : { model }),
        ...(resume === undefined ? {} : { resumed: true }),
      },
      {
        type: 'message',
        entity: `${this.#run}/prompt`,
        role: 'user',
        content: toPromptBlocks(this.#request),
      },
    ]
  }

  #unknown(record: AgentRecord): Event {
    const what = asString(record['type']) ?? 'record'
    return this.#maker.make({ type: 'unknown', entity: `${this.#run}/unknown/${what}`, what, raw: record })
  }

  #fields(record: AgentRecord, part: AgentRecord): EventFields[] | undefined {
    if (record['type'] === 'error') return this.#error(asRecord(record['error']) ?? {})
    const message = asString(part['messageID'])
    const id = asString(part['id'])
    if (message === undefined || id === undefined) return undefined
    switch (record['type']) {
      case 'step_start':
        return [{ type: 'message', entity: message, role: 'assistant' }]
      case 'text':
      case 'reasoning': {
        const type = record['type'] === 'text' ? 'text' : 'thinking'
        const text = asString(part['text'])
        return text === undefined ? undefined : [{ type, entity: id, message, offset: 0, text, final: true }]
      }
      case 'tool_use':
        return this.#call(part, message)
      case 'step_finish':
        return this.#step(part, message)
      default:
        return undefined
    }
  }

  /** A call is reported once, when it has ended, with its input and result. */
  #call(part: AgentRecord, message: string): EventFields[] | undefined {
    const call = toCall(part, message, this.#servers)
    if (!call) return undefined
    const { use, result } = call
    if (result?.status === 'denied')
      this.#denials.push({ tool_name: use.name, tool_use_id: use.entity, tool_input: use.input })
    return result ? [use, result] : [use]
  }

  #step(part: AgentRecord, message: string): EventFields[] {
    this.#steps++
    this.#reason = asString(part['reason'])
    const cost = Number.isFinite(part['cost']) ? (part['cost'] as number) : 0
    this.#cost += cost
    return [
      {
        type: 'usage',
        entity: message,
        scope: 'message',
        usage: toUsage(asRecord(part['tokens']) ?? {}),
        costUsd: cost,
      },
    ]
  }

  #error(error: AgentRecord): EventFields[] | undefined {
    const failure = toFailure(error)
    if (!failure) return undefined
    this.#failure = failure
    const { message } = failure
    const { code } = classifyError(failure)
    return [{ type: 'error', entity: `${this.#run}/remark/${message}`, code, severity: 'warning', message }]
  }
}

// Errors without a retry, which end the output.
const final = new Set<ErrorCode>(['auth', 'permission', 'model_not_found', 'input', 'context_overflow'])

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
}

/** Without an error in the output, the last line of standard error is the reason. */
function explain(code: number | null, stderr: string): string {
  const explanation = stderr
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/\u001B\[[\d;]*m/g, '')
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '' && !/^at |^! permission requested|^timestamp=/.test(line))
  return explanation?.replace(/^Error: /, '') ?? `OpenCode ended with code ${code} and without output`
}
