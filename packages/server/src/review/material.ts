import type { SessionKey } from '@remora/ledger'
import { type Block, type Message, RemoraError } from '@remora/protocol'
import { diffText, readChanges } from '../changes/changes.ts'
import { getSessionFolder } from '../changes/session-folder.ts'
import type { SessionStarts } from '../changes/starts.ts'
import type { Context } from '../core/context.ts'
import { readMessages } from '../core/messages.ts'
import type { What } from '@remora/protocol/api'

/** What reviewers get to see. */
export interface Material {
  readonly title: string
  readonly text: string
  /** How many characters were left out. */
  readonly omitted: number
  /** The last message that it is about. */
  readonly anchor?: string
}

/** What every agent's model takes in one prompt, together with what it reads itself. */
const longest = 150_000
const longestInput = 4_000
const longestResult = 2_000

/**
 * Gathers what shall be reviewed.
 *
 * @example const material = await gather(context, parent, { kind: 'turn' }, { cwd, starts })
 */
export async function gather(
  context: Context,
  parent: SessionKey,
  what: What,
  { starts, signal }: { readonly starts: SessionStarts; readonly signal: AbortSignal },
): Promise<Material> {
  if (what.kind === 'diff')
    return { title: 'A diff', ...(await latestOf(context, parent)), ...bounded(what.text) }
  if (what.kind === 'changes') return gatherChanges(context, parent, what.since, starts, signal)
  const { messages } = await readMessages(context.ledger, parent)
  const chosen = what.kind === 'turn' ? turnOf(messages, what.message) : chosenOf(messages, what.ids)
  const anchor = chosen.at(-1)!.id
  const title =
    what.kind === 'turn' ? 'A turn' : chosen.length === 1 ? 'A message' : `${chosen.length} messages`
  return { title, anchor, ...bounded(chosen.map(tell).join('\n\n')) }
}

async function gatherChanges(
  context: Context,
  parent: SessionKey,
  since: 'start' | 'head',
  starts: SessionStarts,
  signal: AbortSignal,
): Promise<Material> {
  const { key, cwd, startedAt } = await getSessionFolder(context, parent)
  const start = since === 'start' ? await starts.of(key, cwd, startedAt) : {}
  const changes = await readChanges(cwd, {
    env: context.env,
    signal,
    total: longest,
    perFile: longest / 2,
    ...(start.commit === undefined ? {} : { since: start.commit }),
  })
  if (!changes.git)
    throw new RemoraError('unsupported', changes.reason, {
      hint: 'Choose messages, a turn or a diff instead.',
    })
  if (changes.files.length === 0)
    throw new RemoraError('conflict', 'No files changed in the folder of this session')
  const count = changes.files.length + changes.more
  return {
    title: count === 1 ? `Changes in ${changes.files[0]!.path}` : `Changes in ${count} files`,
    ...(await latestOf(context, key)),
    ...bounded(diffText(changes.files)),
  }
}

/** What is about files stands behind the last message of the conversation, not of one that a sub-agent has. */
async function latestOf({ ledger }: Context, key: SessionKey): Promise<{ anchor?: string }> {
  const { messages } = await readMessages(ledger, key)
  const anchor = messages.findLast(({ parent }) => parent === undefined)?.id
  return anchor === undefined ? {} : { anchor }
}

function chosenOf(messages: readonly Message[], ids: readonly string[]): Message[] {
  const wanted = new Set(ids)
  const chosen = messages.filter(({ id }) => wanted.has(id))
  if (chosen.length < wanted.size)
    throw new RemoraError('not_found', 'Some of these messages are not in the session', {
      hint: 'The session may have been rewound. Reload it.',
    })
  return chosen
}

/** From a person's prompt up to the next one. */
function turnOf(messages: readonly Message[], id: string | undefined): Message[] {
  const own = messages.filter(({ parent }) => parent === undefined)
  const at = id === undefined ? own.length - 1 : own.findIndex((message) => message.id === id)
  if (at === -1) throw new RemoraError('not_found', 'Turn not found in the session')
  const start = own.slice(0, at + 1).findLastIndex(isPrompt)
  const behind = own.findIndex((message, index) => index > at && isPrompt(message))
  return own.slice(Math.max(0, start), behind === -1 ? undefined : behind)
}

function isPrompt({ role, context, content }: Message): boolean {
  return role === 'user' && !context && content.some(({ type }) => type !== 'tool_result')
}

/** A message as plain text. */
function tell({ role, tool, content }: Message): string {
  const who = role === 'assistant' ? tool : role
  return [`[${who}]`, ...content.map(tellBlock).filter((text) => text !== '')].join('\n')
}

function tellBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'thinking':
      return ''
    case 'tool_use':
      return `[calls ${block.name}] ${cut(JSON.stringify(block.input), longestInput)}`
    case 'tool_result': {
      const { content = '', status } = block
      const text =
        typeof content === 'string'
          ? content
          : content.map((each) => ('text' in each ? each.text : `[${each.type}]`)).join('\n')
      return `[result, ${status}] ${cut(text, longestResult)}`
    }
    case 'slash_command':
      return [block.command, block.args].filter(Boolean).join(' ')
    default:
      return `[${block.type}${block.name ? ` ${block.name}` : ''}]`
  }
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}… (${text.length - most} characters are left out)` : text
}

/** Its beginning and its end: what is in the middle can be read in the folder. */
function bounded(text: string): { text: string; omitted: number } {
  if (text.length <= longest) return { text, omitted: 0 }
  const half = Math.floor(longest / 2)
  const omitted = text.length - 2 * half
  const note = `\n\n(Here ${omitted} characters are left out, since there are too many.)\n\n`
  return { text: text.slice(0, half) + note + text.slice(-half), omitted }
}
