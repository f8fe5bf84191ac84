import type { Block } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { OutputBlock } from './content.ts'

/** A message with the user's role: from the user, from the CLI for the model, or a shell command of the user. */
export type UserMessage =
  | { readonly from: 'person' | 'context'; readonly content: Block[] }
  | { readonly from: 'shell'; readonly command: string; readonly output: string }

export function readUserMessage(item: AgentRecord): UserMessage {
  const blocks = Array.isArray(item['content']) ? (item['content'] as unknown[]) : []
  const content = blocks.flatMap(toBlocks)
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const shell =
    /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*(?:<result>\n?([\s\S]*?)\n?<\/result>)?/.exec(
      text,
    )
  if (shell) return { from: 'shell', command: shell[1]!, output: cleanShellOutput(shell[2] ?? '') }
  return isContext(item, text)
    ? { from: 'context', content }
    : { from: 'person', content: content.map(withoutEditor) }
}

/** The text of an assistant's message. */
export function getText(item: AgentRecord): string {
  const blocks = Array.isArray(item['content']) ? (item['content'] as unknown[]) : []
  return blocks.flatMap((block) => asString(asRecord(block)?.['text']) ?? []).join('')
}

// The tags around an image.
const frame = /^<image(?: [^>]*)?>$|^<\/image>$/

/** Converts a part of a message or of an output; an unknown kind is kept as JSON text. */
export function toBlocks(value: unknown): OutputBlock[] {
  const block = asRecord(value)
  const text = asString(block?.['text'])
  if (text !== undefined) return frame.test(text.trim()) ? [] : [{ type: 'text', text }]
  const address = asString(block?.['image_url'])
  if (address === undefined) return [{ type: 'text', text: JSON.stringify(value) ?? '' }]
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(address)
  return [
    inline
      ? { type: 'image', source: { type: 'base64', media_type: inline[1]!, data: inline[2]! } }
      : { type: 'image', source: { type: 'url', url: address } },
  ]
}

// Tags with an underscore are Codex's own; HTML of the user has none.
const ownTag = /^\s*<([a-z]+_[a-z_]+|INSTRUCTIONS|permissions instructions|skill)\b[^>]*>[\s\S]*<\/\1>\s*$/

/** Newer versions mark the source of a text; in older ones only the text itself shows it. */
function isContext(item: AgentRecord, text: string): boolean {
  const kinds: unknown = asRecord(item['internal_chat_message_metadata_passthrough'])?.['content_item_kinds']
  if (Array.isArray(kinds) && kinds.length > 0)
    return !kinds.some((kind) => typeof kind === 'string' && kind.startsWith('user.'))
  return /^\s*# AGENTS\.md instructions for /.test(text) || ownTag.test(text)
}

/** Removes the context that an editor adds before the user's prompt. */
function withoutEditor(block: Block): Block {
  if (block.type !== 'text' || !block.text.startsWith('# Context from my IDE setup')) return block
  const prompt = /^## My request for Codex:\n([\s\S]*)$/m.exec(block.text)?.[1]
  return prompt === undefined ? block : { type: 'text', text: prompt.trim() }
}

function cleanShellOutput(result: string): string {
  return result.replace(/^(?:Exit code: 0\n|Duration: .*\n|(?<=\n|^)Output:\n)+/, '').trimEnd()
}
