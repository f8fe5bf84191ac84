import type { Block } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toPromptContent } from '../../dialects/claude-content.ts'

/** The text of a user record: from the user, from the CLI for the model, or from the CLI for the user. */
export interface UserText {
  readonly from: 'person' | 'context' | 'notice'
  readonly content: Block[]
}

/** Reads the blocks of a user record that are no tool results. */
export function readUserText(record: AgentRecord, blocks: readonly unknown[]): UserText {
  const content = toPromptContent(blocks)
  if (isContext(record)) return { from: 'context', content }
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  return parseTags(text) ?? { from: 'person', content: withoutEditor(content) }
}

/** Reads text that the CLI put into its own tags: a command of the user, or its output. */
export function parseTags(text: string): UserText | undefined {
  if (/^\[Request interrupted by user.*\]$/.test(text.trim())) return toNotice(text.trim())
  if (!/^\s*</.test(text)) return undefined
  const command = getTag(text, 'command-name')
  if (command !== undefined) return { from: 'person', content: [toSlashCommand(text, command)] }
  const shell = getTag(text, 'bash-input')
  if (shell !== undefined) return { from: 'person', content: [{ type: 'text', text: `! ${shell.trim()}` }] }
  const outputs = ['local-command-stdout', 'local-command-stderr', 'bash-stdout', 'bash-stderr'].flatMap(
    (tag) => getTag(text, tag) ?? [],
  )
  if (outputs.length > 0) return toNotice(outputs.map(withoutColours).filter(Boolean).join('\n'))
  return wholeTag.test(text) ? { from: 'context', content: [{ type: 'text', text }] } : undefined
}

function toNotice(text: string): UserText {
  return { from: 'notice', content: text === '' ? [] : [{ type: 'text', text }] }
}

/** Whether the user did not type the text: reminders, summaries of a compaction, notifications of background tasks. */
function isContext(record: AgentRecord): boolean {
  if (record['isMeta'] === true || record['isCompactSummary'] === true) return true
  if (record['isVisibleInTranscriptOnly'] === true || record['promptSource'] === 'system') return true
  const kind = asString(asRecord(record['origin'])?.['kind'])
  return kind !== undefined && kind !== 'human'
}

const wholeTag =
  /^\s*<(system-reminder|local-command-caveat|task-notification|teammate-message|user-memory-input|ide_opened_file|ide_selection)\b[^>]*>[\s\S]*<\/\1>\s*$/

/** Leaves out the blocks in which an editor adds its open file and selection. */
function withoutEditor(content: Block[]): Block[] {
  const typed = content.filter((block) => block.type !== 'text' || !wholeTag.test(block.text))
  return typed.length > 0 ? typed : content
}

function toSlashCommand(text: string, name: string): Block {
  const message = getTag(text, 'command-message')
  const args = getTag(text, 'command-args')
  return {
    type: 'slash_command',
    command: name.startsWith('/') ? name : `/${name}`,
    ...(message === undefined ? {} : { message }),
    ...(args === undefined || args === '' ? {} : { args }),
  }
}

function getTag(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`)
  if (start === -1) return undefined
  const from = start + tag.length + 2
  const end = text.indexOf(`</${tag}>`, from)
  return end === -1 ? undefined : text.slice(from, end)
}

function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- it removes escape sequences.
  return text.replaceAll(/\u001B\[[\d;]*m/g, '').trim()
}
