import type { Message, MediaBlock, ToolResultBlock, ToolUseBlock } from '@remora/protocol'
import { type Fields, toFields, toList, text } from './fields.ts'

/** One use of a tool, with what came of it as far as it is there. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** The input, with nothing in it if it is no object. */
  readonly input: Fields
  readonly use: ToolUseBlock | undefined
  readonly result: ToolResultBlock | undefined
}

const made = new WeakMap<object, ToolCall>()

/** A call keeps being the same object while neither side of it changes, so that it is not drawn again. */
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

/** The calls of a message in their order; a result without its call stands for itself. */
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

/** The words that a tool gave back. */
export function getOutputText({ result }: ToolCall): string {
  const content: unknown = result?.content
  if (typeof content === 'string') return unwrap(content)
  return unwrap(
    toList(content)
      .flatMap((part) => text(toFields(part)['text']) ?? [])
      .join('\n'),
  )
}

/** Pictures and files that a tool gave back. */
export function getOutputMedia({ result }: ToolCall): readonly MediaBlock[] {
  return toList(result?.content).filter(
    (part): part is MediaBlock => 'source' in toFields(part) && toFields(part)['type'] !== 'text',
  )
}

/** Agents put marks around what the model should not trust, and reminders behind it. */
function unwrap(output: string): string {
  return output
    .replace(/^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>\s*$/, '$1')
    .replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
    .replace(/\n*<system-reminder>[\s\S]*?<\/system-reminder>\s*$/, '')
}
