import { readFileSync } from 'node:fs'
import { type Event, type ToolStatus, type Usage, parseJson } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../../contract/agent.ts'
import { classifyError } from '../../events/classify-error.ts'
import { type EventMaker, parseTime } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import { type AgentRecord, readRecord } from '../../events/read-record.ts'
import { shellStatus } from '../../dialects/shell-status.ts'
import { shellTool, toClaude } from './tools.ts'

/** Reads stream-json: init, message, tool_use, tool_result, error, result. */
export function streamReader(maker: EventMaker, request: HeadlessRequest): HeadlessReader {
  return new StreamReader(maker, request)
}

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: HeadlessRequest
  readonly #run: string
  #segment = 0
  /** The entity of the current segment, kept because every chunk of the stream needs it. */
  #entity: string
  /** The text of the segment so far, and whether a message with its full text has ended it. */
  #text = ''
  #whole = false
  /** Whether the agent has produced text or a call. */
  #spoke = false
  #remarks = 0
  /** Ids of shell calls, because results do not name their tool. */
  readonly #shells = new Set<string>()
  #lastError: string | undefined
  /** An error that no text or call has followed. */
  #fatal: string | undefined
  #result: AgentRecord | undefined

  constructor(maker: EventMaker, request: HeadlessRequest) {
    this.#maker = maker
    this.#request = request
    // A run may start the CLI several times; each start has its own segments.
    this.#run = `${maker.source}/${maker.started()}`
    this.#entity = `${this.#run}/0`
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, this.#record)
  }

  readonly #record = (record: AgentRecord): Event[] | undefined => {
    this.#maker.next(parseTime(record['timestamp']))
    switch (record['type']) {
      case 'init':
        return this.#init(record)
      case 'message':
        return this.#message(record)
      case 'tool_use':
        return this.#toolUse(record)
      case 'tool_result':
        return this.#toolResult(record)
      case 'error':
        return this.#error(record)
      case 'result':
        return this.#finish(record)
      default:
        return undefined
    }
  }

  /** While it retries, the CLI prints nothing but this line for minutes. */
  readError(line: string): Event[] {
    const retry = /^Attempt (\d+) failed(?: with status (\d+))?.*Retrying/.exec(line)
    if (!retry) return [] // The last attempt has the same message without "Retrying".
    this.#maker.next()
    return [
      this.#maker.make({
        type: 'status',
        entity: this.#run,
        status: 'retrying',
        detail: line.slice(0, 500),
        value: { attempt: Number(retry[1]), ...(retry[2] ? { httpStatus: Number(retry[2]) } : {}) },
      }),
    ]
  }

  /**
   * A last `result` with status success means success, because the exit code is 0 even after a signal. Exceptions are
   * an error that nothing followed, and versions such as 0.11.3 that report a refused request only on standard error.
   */
  end(exit: { code: number | null }, stderr: string): Outcome {
    const result = this.#result
    if (!result) return { ok: false, failure: { message: explain(exit.code, stderr) } }
    const stats = asRecord(result['stats'])
    const duration = stats?.['duration_ms']
    const about = typeof duration === 'number' ? { apiDurationMs: duration } : {}
    if (result['status'] === 'success') {
      const failure = this.#fatal ?? (this.#spoke ? undefined : readApiError(stderr))
      return failure === undefined
        ? { ok: true, stopReason: 'end_turn', ...about }
        : { ok: false, failure: { message: failure }, ...about }
    }
    const error = asRecord(result['error'])
    const message = asString(error?.['message']) ?? this.#lastError ?? 'The run failed without a reason'
    const type = asString(error?.['type'])
    return { ok: false, failure: { message, ...(type ? { type } : {}) }, ...about }
  }

  #init(record: AgentRecord): Event[] | undefined {
    const id = asString(record['session_id'])
    if (id !== undefined) this.#maker.session = id
    const model = asString(record['model'])
    return [
      this.#maker.make({
        type: 'session',
        entity: this.#maker.session,
        ...(model ? { model } : {}),
        ...(this.#request.resume === undefined ? {} : { resumed: true }),
        raw: record,
      }),
    ]
  }

  #message(record: AgentRecord): Event[] | undefined {
    const content = record['content']
    if (typeof content !== 'string') return undefined
    if (record['role'] === 'user') {
      const entity = `${this.#run}/prompt`
      return [
        this.#maker.make({
          type: 'message',
          entity,
          role: 'user',
          content: [{ type: 'text', text: content }],
          raw: record,
        }),
      ]
    }
    if (record['role'] !== 'assistant') return undefined
    this.#spoke = true
    this.#fatal = undefined
    const isDelta = record['delta'] === true
    // A message that is not a delta contains the full text, including that of earlier deltas.
    const repeats = !isDelta && content.startsWith(this.#text)
    if (this.#whole || (!isDelta && !repeats)) this.#cut()
    const offset = this.#text.length
    const text = repeats ? content.slice(offset) : content
    this.#text += text
    this.#whole = !isDelta
    return [
      this.#maker.make({
        type: 'text',
        entity: this.#entity,
        offset,
        text,
        ...(isDelta ? {} : { final: true as const }),
        raw: record,
      }),
    ]
  }

  /** Following text starts another segment. */
  #cut(): void {
    if (this.#text !== '') this.#entity = `${this.#run}/${++this.#segment}`
    this.#text = ''
    this.#whole = false
  }

  #toolUse(record: AgentRecord): Event[] | undefined {
    const entity = asString(record['tool_id'])
    const native = asString(record['tool_name'])
    if (entity === undefined || native === undefined) return undefined
    this.#cut()
    this.#spoke = true
    this.#fatal = undefined
    if (native === shellTool) this.#shells.add(entity)
    const input = record['parameters'] ?? {}
    return [
      this.#maker.make({
        type: 'tool_use',
        entity,
        ...toClaude(native, input),
        native: { name: native, input },
        raw: record,
      }),
    ]
  }

  #toolResult(record: AgentRecord): Event[] | undefined {
    const entity = asString(record['tool_id'])
    if (entity === undefined) return undefined
    const error = asRecord(record['error'])
    const output = asString(record['output'])
    // The message names the file or rule; the output of a failed call often has fewer details.
    const content = (error && asString(error['message'])) ?? output
    const status = toolStatus(asString(record['status']), error, output)
    return [
      this.#maker.make({
        type: 'tool_result',
        entity,
        // The stream reports a failed command that printed something as a success; the session file has the exit code.
        status: status === 'success' && this.#shells.has(entity) ? shellStatus(output ?? '') : status,
        ...(content === undefined ? {} : { content }),
        raw: record,
      }),
    ]
  }

  #error(record: AgentRecord): Event[] | undefined {
    const message = asString(record['message'])
    if (message === undefined) return undefined
    this.#lastError = message
    const severity = record['severity'] === 'error' ? ('error' as const) : ('warning' as const)
    if (severity === 'error') this.#fatal = message
    const { code } = classifyError({ message })
    const entity = `${this.#run}/remark/${this.#remarks++}`
    return [this.#maker.make({ type: 'error', entity, code, severity, message, raw: record })]
  }

  #finish(record: AgentRecord): Event[] {
    this.#result = record
    const stats = asRecord(record['stats']) ?? {}
    const models = Object.entries(asRecord(stats['models']) ?? {}).map(
      ([name, value]) => [name, usage(asRecord(value) ?? {})] as const,
    )
    return [
      this.#maker.make({
        type: 'usage',
        entity: this.#run,
        scope: 'run',
        usage: usage(stats),
        ...(models.length > 0 ? { models: Object.fromEntries(models) } : {}),
        raw: record,
      }),
    ]
  }
}

function usage(stats: AgentRecord): Usage {
  return defined({
    inputTokens: asCount(stats['input_tokens']),
    outputTokens: asCount(stats['output_tokens']),
    totalTokens: asCount(stats['total_tokens']),
    cachedTokens: asCount(stats['cached']),
  })
}

function toolStatus(
  status: string | undefined,
  error: AgentRecord | undefined,
  output: string | undefined,
): ToolStatus {
  if (status === 'success' || status === 'cancelled') return status
  const type = asString(error?.['type'])
  const refused =
    /requires user confirmation/.test(asString(error?.['message']) ?? '') ||
    output?.startsWith('Tool execution blocked: ') === true
  return type === 'policy_violation' || type === 'tool_not_registered' || refused ? 'denied' : 'error'
}

const exitCodes: Readonly<Record<number, string>> = {
  41: 'Invalid auth method, or no credentials',
  42: 'Invalid input: the session or the prompt was refused',
  53: 'The turn limit of the session was reached',
  55: 'Not running in a trusted folder',
}

/** Without a `result`, the reason is in standard error: in a line marked as an error, else in the last line. */
function explain(code: number | null, stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== '' && !/^at |^[{}]|^(Warning|Ripgrep|YOLO mode|Loaded cached|Attempt \d|Hook )/.test(line),
    )
  const explanation =
    complaint(lines) ?? lines.find((line) => /^(\w* ?error|fatal|invalid)\b/i.test(line)) ?? lines.at(-1)
  const meaning = code === null ? undefined : exitCodes[code]
  if (meaning) return explanation ? `${meaning}: ${explanation}` : meaning
  return explanation ?? `Gemini CLI ended with code ${code} before it gave a result`
}

/** Extracts the argument error, which is printed before or after the full help text. */
function complaint(lines: readonly string[]): string | undefined {
  const usage = lines.findIndex((line) => line.startsWith('Usage: '))
  if (usage < 0) return undefined
  const known = lines.findIndex((line) =>
    /^(unknown (argument|command)|invalid values|not enough|too many|missing|must provide|cannot use|you must)/i.test(
      line,
    ),
  )
  const first = known < 0 ? usage - 1 : known
  const line = lines[first]
  // The argument and its choices are on a line of their own.
  return line?.endsWith(':') ? `${line} ${lines[first + 1] ?? ''}`.trim() : line
}

/**
 * Why a request to the model failed, where only standard error reports it: 0.11.3 names a file with the answer there,
 * prints nothing and ends with success.
 *
 * @example readApiError('Error when talking to Gemini API Full report available at: /tmp/gemini-client-error-….json')
 */
function readApiError(stderr: string): string | undefined {
  const [line] = /^.*(?:Error when talking to Gemini API|\[API Error: ).*$/m.exec(stderr) ?? []
  if (line === undefined) return undefined
  const [file] = /\S*gemini-client-error-[\w.-]+\.json/.exec(line) ?? []
  return (file === undefined ? undefined : reasonIn(file)) ?? line.trim()
}

function reasonIn(file: string): string | undefined {
  try {
    const report = asRecord(parseJson(readFileSync(file, 'utf8')))
    return asString(asRecord(report?.['error'])?.['message'])
  } catch {
    // The file was removed, or is not an error report.
    return undefined
  }
}
