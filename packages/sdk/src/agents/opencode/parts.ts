import type { Block, ToolOutput, ToolStatus, Usage } from '@remora/protocol/plain'
import type { Failure } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { isKnownTool, toClaude } from './tools.ts'

// A part is the same record in the output of a run, in the database and in plugin payloads.

/** A tool call, with its result when it has ended. */
export interface Call {
  readonly use: Extract<EventFields, { type: 'tool_use' }>
  readonly result?: Extract<EventFields, { type: 'tool_result' }>
}

/** @example toCall(part, message)?.use.name */
export function toCall(
  part: AgentRecord,
  message: string | undefined,
  servers: readonly string[] = [],
): Call | undefined {
  const entity = asString(part['callID'])
  const native = asString(part['tool'])
  const state = asRecord(part['state'])
  if (entity === undefined || native === undefined || !state) return undefined
  const input = state['input'] ?? {}
  // A call of an unknown tool is recorded as a call of `invalid` with the name that the model used.
  const wanted = native === 'invalid' ? (asString(asRecord(input)?.['tool']) ?? native) : native
  const claude = toClaude(wanted, input, servers)
  const place = message === undefined ? {} : { message }
  const use = { type: 'tool_use', entity, ...place, ...claude, native: { name: native, input } } as const
  if (state['status'] === 'pending' || state['status'] === 'running') return { use }
  const content = toOutput(state)
  const status = toStatus(native, state)
  return {
    use,
    result: { type: 'tool_result', entity, status, ...(content === undefined ? {} : { content }) },
  }
}

/**
 * The status of a finished call.
 *
 * @example toStatus('bash', { status: 'completed', metadata: { exit: 1 } }) // 'error'
 */
export function toStatus(tool: string, state: AgentRecord): ToolStatus {
  const error = asString(state['error']) ?? ''
  if (state['status'] === 'error') {
    if (/rejected permission|specified a rule which prevents/.test(error) || unavailable(error))
      return 'denied'
    if (/dismissed this question/.test(error)) return 'denied'
    // Only a match at the start counts, because file names may contain these words.
    const stopped = asRecord(state['metadata'])?.['interrupted'] === true || aborted.test(error)
    return stopped ? 'cancelled' : 'error'
  }
  if (tool === 'invalid') return unavailable(asString(state['output']) ?? '') ? 'denied' : 'error'
  const exit = getExitCode(state)
  if (/terminated command after exceeding timeout/.test(asString(state['output']) ?? '')) return 'timeout'
  return exit !== undefined && exit !== 0 ? 'error' : 'success'
}

const aborted = /^(the operation was |(tool )?execution (was )?|request (was )?)?(aborted|cancell?ed)\b/i

/** A forbidden tool is not offered, so OpenCode reports it as unknown. */
function unavailable(errorText: string): boolean {
  const name = /unavailable tool '?([\w-]*)/.exec(errorText)?.[1]
  return name !== undefined && isKnownTool(name)
}

function getExitCode(state: AgentRecord): number | undefined {
  const exit = asRecord(state['metadata'])?.['exit']
  return typeof exit === 'number' ? exit : undefined
}

/** The output of a finished call. @example toOutput({ output: 'x' }) // 'x' */
export function toOutput(state: AgentRecord): ToolOutput | undefined {
  const error = asString(state['error'])
  const output = asString(state['output'])
  const text = state['status'] === 'error' ? (error ?? output) : output
  const exit = getExitCode(state)
  const fullText =
    text !== undefined && exit !== undefined && exit !== 0 ? `Exit code ${exit}\n${text}` : text
  const files = Array.isArray(state['attachments'])
    ? (state['attachments'] as unknown[]).flatMap((file) => fileBlock(file) ?? [])
    : []
  if (files.length === 0) return fullText
  return [...(fullText === undefined ? [] : [{ type: 'text', text: fullText } as const]), ...files]
}

type MediaOutput = Exclude<Exclude<ToolOutput, string>[number], { type: 'text' }>

/** Converts a file of a prompt or a tool result. @example fileBlock({ mime: 'image/png', url: 'data:…' }) */
export function fileBlock(value: unknown): MediaOutput | undefined {
  const file = asRecord(value)
  const mime = asString(file?.['mime']) ?? ''
  const url = asString(file?.['url'])
  if (url === undefined) return undefined
  const kind =
    (['image', 'audio', 'video'] as const).find((each) => mime.startsWith(`${each}/`)) ?? 'document'
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1]
  const name = asString(file?.['filename'])
  const named = name === undefined ? {} : { name }
  if (data !== undefined) return { type: kind, source: { type: 'base64', media_type: mime, data }, ...named }
  return { type: kind, source: { type: 'url', media_type: mime, url }, ...named }
}

/** OpenCode counts cache and reasoning separately; our input includes the cache and our output the reasoning. */
export function toUsage(counts: AgentRecord): Usage {
  const cache = asRecord(counts['cache']) ?? {}
  const plain = asCount(counts['input'])
  const output = asCount(counts['output'])
  const reasoning = asCount(counts['reasoning'])
  const read = asCount(cache['read'])
  const written = asCount(cache['write'])
  return defined({
    inputTokens: plain === undefined ? undefined : plain + (read ?? 0) + (written ?? 0),
    outputTokens: output === undefined ? undefined : output + (reasoning ?? 0),
    totalTokens: asCount(counts['total']),
    cachedTokens: read,
    cacheWriteTokens: written,
    thoughtTokens: reasoning,
  })
}

/** Converts an error of OpenCode. @example toFailure({ name: 'APIError', data: { message: 'x' } }) */
export function toFailure(error: AgentRecord): Failure | undefined {
  const data = asRecord(error['data'])
  const type = asString(error['name'])
  const message = asString(data?.['message']) ?? asString(error['message']) ?? type
  if (message === undefined) return undefined
  return defined({ message, type, status: asCount(data?.['statusCode']) })
}

/** The user's content of a message, and the context that the CLI added. */
export interface PromptParts {
  readonly content: Block[]
  readonly context: { readonly id: string; readonly text: string }[]
  /** Parts of other kinds. */
  readonly others: AgentRecord[]
}

/** @example toPrompt([{ type: 'text', text: 'Hi' }]).content // [{ type: 'text', text: 'Hi' }] */
export function toPrompt(parts: readonly AgentRecord[]): PromptParts {
  const prompt: PromptParts = { content: [], context: [], others: [] }
  for (const part of parts) {
    const text = asString(part['text'])
    const file = part['type'] === 'file' ? fileBlock(part) : undefined
    if (file) prompt.content.push(file)
    else if (part['type'] === 'subtask') prompt.content.push(subtaskBlock(part))
    else if (part['type'] !== 'text' || text === undefined) prompt.others.push(part)
    else if (part['synthetic'] === true || part['ignored'] === true)
      prompt.context.push({ id: asString(part['id']) ?? '', text })
    else prompt.content.push({ type: 'text', text })
  }
  return prompt
}

/** A command that runs as a sub-agent has only a name, no text of the user. */
function subtaskBlock(part: AgentRecord): Block {
  const command = asString(part['command'])
  const message = asString(part['prompt']) ?? asString(part['description'])
  if (command === undefined) return { type: 'text', text: message ?? '' }
  return { type: 'slash_command', command, ...(message === undefined ? {} : { message }) }
}
