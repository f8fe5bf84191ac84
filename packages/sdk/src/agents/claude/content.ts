import type { Block, ToolOutput, ToolStatus, Usage } from '@remora/protocol/plain'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

// What Claude's API says of blocks, results and tokens, in our words.

type OutputBlock = Exclude<ToolOutput, string>[number]

/** The blocks of a person's message; a kind that we do not know is kept as its JSON. */
export function promptContent(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(blockOf) : []
}

/** What a tool gave back. */
export function toolOutput(content: unknown): ToolOutput | undefined {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map(blockOf) : undefined
}

function blockOf(value: unknown): OutputBlock {
  const block = asRecord(value)
  const text = asString(block?.['text'])
  if (block?.['type'] === 'text' && text !== undefined) return { type: 'text', text }
  const source = asRecord(block?.['source'])
  const kind = block?.['type']
  if (source && (kind === 'image' || kind === 'document')) {
    const data = asString(source['data'])
    const url = asString(source['url'])
    const media = asString(source['media_type'])
    if (source['type'] === 'base64' && data !== undefined && media !== undefined)
      return { type: kind, source: { type: 'base64', media_type: media, data } }
    if (source['type'] === 'url' && url !== undefined) return { type: kind, source: { type: 'url', url } }
  }
  return { type: 'text', text: JSON.stringify(value) ?? '' }
}

/** Includes the messages of both ACP wrappers and of the permission hooks of this and earlier versions of Remora. */
const denied =
  /^(<tool_use_error>)?(Error: )?(Claude requested permissions |Permission to use .* has been denied|Permission for this tool use was denied|The user doesn't want to |The user does not want this to be done\.|The user denied this request\.|User refused permission to run tool|The user cancelled this prompt\.|Cannot \w+ (to )?.* while in plan mode|.* was blocked\. For security, |PreToolUse:\S+ hook |Hook PreToolUse\S* denied |File is in a directory that is denied by your permission settings)/s
/** What a shell command may not do unasked; its own words stand below its exit code. */
const unasked = /^(?!Exit code )[^\n]*\b(requires? (explicit )?(approval|permission)|needs approval)\b/

/** How a call ended. The API knows only `is_error`; the rest is in the words. */
export function toolStatus(isError: boolean, output: ToolOutput | undefined, display: unknown): ToolStatus {
  if (asRecord(display)?.['interrupted'] === true) return 'cancelled'
  if (!isError) return 'success'
  const text = typeof output === 'string' ? output : (output ?? []).map(textIn).join('\n')
  // The second is told of calls that were waiting when the person stopped everything.
  if (/^(\[Request interrupted by user|The user doesn't want to take this action right now)/.test(text))
    return 'cancelled'
  if (/(^|\n)Command timed out after [\d.]+/.test(text)) return 'timeout'
  return denied.test(text) || unasked.test(text) ? 'denied' : 'error'
}

function textIn(block: OutputBlock): string {
  return block.type === 'text' ? block.text : ''
}

/** Tokens of a message or run. Claude counts what came from the cache apart; our input is all that went in. */
export function messageUsage(usage: AgentRecord): Usage {
  const read = asCount(usage['cache_read_input_tokens'])
  const plain = asCount(usage['input_tokens'])
  const written = writtenToCache(usage)
  return tokens(plain, read, written, asCount(usage['output_tokens']))
}

/** Told twice by newer versions: as a sum, and by how long it is kept. */
function writtenToCache(usage: AgentRecord): number | undefined {
  const kept = asRecord(usage['cache_creation'])
  const short = asCount(kept?.['ephemeral_5m_input_tokens'])
  const long = asCount(kept?.['ephemeral_1h_input_tokens'])
  if (short === undefined && long === undefined) return asCount(usage['cache_creation_input_tokens'])
  return (short ?? 0) + (long ?? 0)
}

/** Tokens of one model, as the result tells them. */
export function modelUsage(usage: AgentRecord): Usage {
  return tokens(
    asCount(usage['inputTokens']),
    asCount(usage['cacheReadInputTokens']),
    asCount(usage['cacheCreationInputTokens']),
    asCount(usage['outputTokens']),
  )
}

function tokens(plain?: number, read?: number, written?: number, output?: number): Usage {
  const input = plain === undefined ? undefined : plain + (read ?? 0) + (written ?? 0)
  // Nearly always all is told, and there are as many of these as there are answers.
  if (input !== undefined && output !== undefined && read !== undefined && written !== undefined)
    return {
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      cachedTokens: read,
      cacheWriteTokens: written,
    }
  return defined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : input + output,
    cachedTokens: read,
    cacheWriteTokens: written,
  })
}

/** An amount of money, if it is one. */
export function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
