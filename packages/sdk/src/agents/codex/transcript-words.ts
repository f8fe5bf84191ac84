import type { Block } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { OutputBlock } from './content.ts'

/** Whose words a message of the user's has: the person's, the CLI's to the model, or a command of the person's own. */
export type Words =
  | { readonly from: 'person' | 'context'; readonly content: Block[] }
  | { readonly from: 'shell'; readonly command: string; readonly output: string }

/** Reads a message that has the user's role. */
export function wordsIn(item: AgentRecord): Words {
  const blocks = Array.isArray(item['content']) ? (item['content'] as unknown[]) : []
  const content = blocks.flatMap(blockOf)
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const shell =
    /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*(?:<result>\n?([\s\S]*?)\n?<\/result>)?/.exec(
      text,
    )
  if (shell) return { from: 'shell', command: shell[1]!, output: shellOutput(shell[2] ?? '') }
  return isContext(item, text)
    ? { from: 'context', content }
    : { from: 'person', content: content.map(asked) }
}

/** The text of an assistant's message. */
export function textIn(item: AgentRecord): string {
  const blocks = Array.isArray(item['content']) ? (item['content'] as unknown[]) : []
  return blocks.flatMap((block) => asString(asRecord(block)?.['text']) ?? []).join('')
}

// What a picture is wrapped in.
const frame = /^<image(?: [^>]*)?>$|^<\/image>$/

/** A piece of a message or of what a call gave back; a kind that we do not know is kept as its JSON. */
export function blockOf(value: unknown): OutputBlock[] {
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

// Tags with an underscore are Codex's own; a person's HTML has none.
const ownTag = /^\s*<([a-z]+_[a-z_]+|INSTRUCTIONS|permissions instructions|skill)\b[^>]*>[\s\S]*<\/\1>\s*$/

/** Newer versions say where the words come from; of older ones only the words themselves do. */
function isContext(item: AgentRecord, text: string): boolean {
  const kinds: unknown = asRecord(item['internal_chat_message_metadata_passthrough'])?.['content_item_kinds']
  if (Array.isArray(kinds) && kinds.length > 0)
    return !kinds.some((kind) => typeof kind === 'string' && kind.startsWith('user.'))
  return /^\s*# AGENTS\.md instructions for /.test(text) || ownTag.test(text)
}

/** An editor puts what it has open before the person's words. */
function asked(block: Block): Block {
  if (block.type !== 'text' || !block.text.startsWith('# Context from my IDE setup')) return block
  const words = /^## My request for Codex:\n([\s\S]*)$/m.exec(block.text)?.[1]
  return words === undefined ? block : { type: 'text', text: words.trim() }
}

function shellOutput(result: string): string {
  return result.replace(/^(?:Exit code: 0\n|Duration: .*\n|(?<=\n|^)Output:\n)+/, '').trimEnd()
}
