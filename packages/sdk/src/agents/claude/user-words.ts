import type { Block } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { promptContent } from './content.ts'

/** Whose words a record of the user's has: the person's, the CLI's to the model, or the CLI's to the person. */
export interface Words {
  readonly from: 'person' | 'context' | 'notice'
  readonly content: Block[]
}

/** Reads what stands in a user's record beside the results of calls. */
export function wordsIn(record: AgentRecord, blocks: readonly unknown[]): Words {
  const content = promptContent(blocks)
  if (isContext(record)) return { from: 'context', content }
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  return tagged(text) ?? { from: 'person', content: withoutEditor(content) }
}

/** Words that the CLI put into tags of its own: a command of the person's, or what came of it. */
export function tagged(text: string): Words | undefined {
  if (/^\[Request interrupted by user.*\]$/.test(text.trim())) return notice(text.trim())
  if (!/^\s*</.test(text)) return undefined
  const command = inTag(text, 'command-name')
  if (command !== undefined) return { from: 'person', content: [slashCommand(text, command)] }
  const shell = inTag(text, 'bash-input')
  if (shell !== undefined) return { from: 'person', content: [{ type: 'text', text: `! ${shell.trim()}` }] }
  const said = ['local-command-stdout', 'local-command-stderr', 'bash-stdout', 'bash-stderr'].flatMap(
    (tag) => inTag(text, tag) ?? [],
  )
  if (said.length > 0) return notice(said.map(withoutColours).filter(Boolean).join('\n'))
  return wholeTag.test(text) ? { from: 'context', content: [{ type: 'text', text }] } : undefined
}

function notice(text: string): Words {
  return { from: 'notice', content: text === '' ? [] : [{ type: 'text', text }] }
}

/** Words that nobody typed: reminders, summaries of what was forgotten, news of tasks in the background. */
function isContext(record: AgentRecord): boolean {
  if (record['isMeta'] === true || record['isCompactSummary'] === true) return true
  if (record['isVisibleInTranscriptOnly'] === true || record['promptSource'] === 'system') return true
  const kind = asString(asRecord(record['origin'])?.['kind'])
  return kind !== undefined && kind !== 'human'
}

const wholeTag =
  /^\s*<(system-reminder|local-command-caveat|task-notification|teammate-message|user-memory-input|ide_opened_file|ide_selection)\b[^>]*>[\s\S]*<\/\1>\s*$/

/** An editor adds what it has open as blocks of their own. */
function withoutEditor(content: Block[]): Block[] {
  const words = content.filter((block) => block.type !== 'text' || !wholeTag.test(block.text))
  return words.length > 0 ? words : content
}

function slashCommand(text: string, name: string): Block {
  const message = inTag(text, 'command-message')
  const args = inTag(text, 'command-args')
  return {
    type: 'slash_command',
    command: name.startsWith('/') ? name : `/${name}`,
    ...(message === undefined ? {} : { message }),
    ...(args === undefined || args === '' ? {} : { args }),
  }
}

function inTag(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`)
  if (start === -1) return undefined
  const from = start + tag.length + 2
  const end = text.indexOf(`</${tag}>`, from)
  return end === -1 ? undefined : text.slice(from, end)
}

function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character is what this is about.
  return text.replaceAll(/\u001B\[[\d;]*m/g, '').trim()
}
