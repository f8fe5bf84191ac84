import type { Message, MediaBlock, ToolResultBlock, ToolUseBlock } from '@remora/protocol'
import { type Fields, toFields, toList, text } from './fields.ts'

/** A tool call with its result, if any. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Empty if the input is no object. */
  readonly input: Fields
  readonly use: ToolUseBlock | undefined
  readonly result: ToolResultBlock | undefined
}

const made = new WeakMap<object, ToolCall>()

/** Returns the same object while use and result are unchanged, so that it is not rendered again. */
export function toToolCall(use: ToolUseBlock | undefined, result: ToolResultBlock | undefined): ToolCall {
  const owner = use ?? result!
  const before = made.get(owner)
  if (before && before.result === result) return before
  const call: ToolCall = {
    id: use?.id ?? result?.tool_use_id ?? '',
    name: typeof use?.name === 'string' ? use.name : '',
    input: toFields(use?.input),
    use,
    result,
  }
  made.set(owner, call)
  return call
}

/** The calls of a message in order. A result without a call is listed by itself. */
export function listCalls({ content }: Pick<Message, 'content'>): ToolCall[] {
  const results = new Map<string, ToolResultBlock>()
  const uses = new Set<string>()
  for (const block of content) {
    if (block.type === 'tool_result') results.set(block.tool_use_id, block)
    if (block.type === 'tool_use') uses.add(block.id)
  }
  return content.flatMap((block) => {
    if (block.type === 'tool_use') return [toToolCall(block, results.get(block.id))]
    return block.type === 'tool_result' && !uses.has(block.tool_use_id) ? [toToolCall(undefined, block)] : []
  })
}

/** The text of a tool result. */
export function getOutputText({ result }: ToolCall): string {
  const content: unknown = result?.content
  if (typeof content === 'string') return unwrap(content)
  return unwrap(
    toList(content)
      .flatMap((part) => text(toFields(part)['text']) ?? [])
      .join('\n'),
  )
}

/** The media of a tool result. */
export function getOutputMedia({ result }: ToolCall): readonly MediaBlock[] {
  return toList(result?.content).filter(
    (part): part is MediaBlock => 'source' in toFields(part) && toFields(part)['type'] !== 'text',
  )
}

/** Removes the markers and reminders that agents add for the model. */
function unwrap(output: string): string {
  return output
    .replace(/^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>\s*$/, '$1')
    .replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
    .replace(/\n*<system-reminder>[\s\S]*?<\/system-reminder>\s*$/, '')
}
