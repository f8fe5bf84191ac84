import type { SessionKey } from '@remora/ledger'
import { type Block, type Message, RemoraError } from '@remora/protocol'
import { formatDiff, readChanges } from '../changes/changes.ts'
import { getSessionFolder } from '../changes/session-folder.ts'
import type { SessionStarts } from '../changes/starts.ts'
import type { Context } from '../core/context.ts'
import { readMessages } from '../core/messages.ts'
import type { What } from '@remora/protocol/api'

/** The text that reviewers get. */
export interface Material {
  readonly title: string
  readonly text: string
  /** How many characters were left out. */
  readonly omitted: number
  /** The last message that the review covers. */
  readonly anchor?: string
}

/** Fits the prompt of every agent's model, with space for the files that it reads. */
const maxText = 150_000
const maxInput = 4_000
const maxResult = 2_000

/**
 * Collects the text to review.
 *
 * @example const material = await collectMaterial(context, parent, { kind: 'turn' }, { cwd, starts })
 */
export async function collectMaterial(
  context: Context,
  parent: SessionKey,
  what: What,
  { starts, signal }: { readonly starts: SessionStarts; readonly signal: AbortSignal },
): Promise<Material> {
  if (what.kind === 'diff')
    return { title: 'A diff', ...(await findAnchor(context, parent)), ...shorten(what.text) }
  if (what.kind === 'changes') return collectChanges(context, parent, what.since, starts, signal)
  const { messages } = await readMessages(context.ledger, parent)
  const chosen = what.kind === 'turn' ? findTurn(messages, what.message) : findMessages(messages, what.ids)
  const anchor = chosen.at(-1)!.id
  const title =
    what.kind === 'turn' ? 'A turn' : chosen.length === 1 ? 'A message' : `${chosen.length} messages`
  return { title, anchor, ...shorten(chosen.map(formatMessage).join('\n\n')) }
}

async function collectChanges(
  context: Context,
  parent: SessionKey,
  since: 'start' | 'head',
  starts: SessionStarts,
  signal: AbortSignal,
): Promise<Material> {
  const { key, cwd, startedAt } = await getSessionFolder(context, parent)
  const start = since === 'start' ? await starts.get(key, cwd, startedAt) : {}
  const changes = await readChanges(cwd, {
    env: context.env,
    signal,
    total: maxText,
    perFile: maxText / 2,
    since: start.commit,
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
    ...(await findAnchor(context, key)),
    ...shorten(formatDiff(changes.files)),
  }
}

/** A review of files is anchored to the last message of the main conversation, not of a sub-agent. */
async function findAnchor({ ledger }: Context, key: SessionKey): Promise<{ anchor?: string }> {
  const { messages } = await readMessages(ledger, key)
  const anchor = messages.findLast(({ parent }) => parent === undefined)?.id
  return anchor === undefined ? {} : { anchor }
}

function findMessages(messages: readonly Message[], ids: readonly string[]): Message[] {
  const wanted = new Set(ids)
  const chosen = messages.filter(({ id }) => wanted.has(id))
  if (chosen.length < wanted.size)
    throw new RemoraError('not_found', 'Some of these messages are not in the session', {
      hint: 'The session may have been rewound. Reload it.',
    })
  return chosen
}

/** A turn starts at a prompt of the user and ends before the next. */
function findTurn(messages: readonly Message[], id: string | undefined): Message[] {
  const own = messages.filter(({ parent }) => parent === undefined)
  const at = id === undefined ? own.length - 1 : own.findIndex((message) => message.id === id)
  if (at === -1) throw new RemoraError('not_found', 'Turn not found in the session')
  const start = own.slice(0, at + 1).findLastIndex(isPrompt)
  const next = own.findIndex((message, index) => index > at && isPrompt(message))
  return own.slice(Math.max(0, start), next === -1 ? undefined : next)
}

function isPrompt({ role, context, content }: Message): boolean {
  return role === 'user' && !context && content.some(({ type }) => type !== 'tool_result')
}

function formatMessage({ role, tool, content }: Message): string {
  const who = role === 'assistant' ? tool : role
  return [`[${who}]`, ...content.map(formatBlock).filter((text) => text !== '')].join('\n')
}

function formatBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'thinking':
      return ''
    case 'tool_use':
      return `[calls ${block.name}] ${truncate(JSON.stringify(block.input), maxInput)}`
    case 'tool_result': {
      const { content = '', status } = block
      const text =
        typeof content === 'string'
          ? content
          : content.map((each) => ('text' in each ? each.text : `[${each.type}]`)).join('\n')
      return `[result, ${status}] ${truncate(text, maxResult)}`
    }
    case 'slash_command':
      return [block.command, block.args].filter(Boolean).join(' ')
    default:
      return `[${block.type}${block.name ? ` ${block.name}` : ''}]`
  }
}

function truncate(text: string, limit: number): string {
  return text.length > limit
    ? `${text.slice(0, limit)}… (${text.length - limit} characters are left out)`
    : text
}

/** Keeps the start and the end; the reviewer can read the rest in the folder. */
function shorten(text: string): { text: string; omitted: number } {
  if (text.length <= maxText) return { text, omitted: 0 }
  const half = Math.floor(maxText / 2)
  const omitted = text.length - 2 * half
  const note = `\n\n(${omitted} characters are left out here, because the text is too long.)\n\n`
  return { text: text.slice(0, half) + note + text.slice(-half), omitted }
}
