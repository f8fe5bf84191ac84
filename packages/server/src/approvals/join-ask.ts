import type { Ask } from '@remora/protocol'

/** What a hook knows of a call beyond the screen. */
export type KnownByHook = Partial<Pick<Ask, 'tool' | 'input' | 'exact' | 'toolUse' | 'parent'>>

/** The fields of a PermissionRequest payload that matter here. */
export interface HookPayload {
  readonly tool_name?: unknown
  readonly tool_input?: unknown
  readonly tool_use_id?: unknown
  /** The sub-agent that asks. */
  readonly agent_id?: unknown
}

/** The text of a dialog: everything it shows. */
export interface DialogText {
  readonly title: string
  readonly body?: string | undefined
  readonly options?: readonly { readonly label: string }[]
}

/** A tool call as a hook or a transcript reports it. */
export interface ReportedCall {
  readonly tool: string
  readonly input: unknown
}

/** The exact call of a hook payload. @example readPayload(payload)?.input */
export function readPayload(payload: HookPayload): (KnownByHook & ReportedCall) | undefined {
  const { tool_name: tool, tool_input: input, tool_use_id: id, agent_id: parent } = payload
  if (typeof tool !== 'string' || tool === '') return undefined
  return {
    tool,
    input,
    exact: true,
    ...(typeof id === 'string' ? { toolUse: id } : {}),
    ...(typeof parent === 'string' ? { parent } : {}),
  }
}

/**
 * How much of a call the whole text of a dialog shows, in characters; 0 if the dialog is about something else. Of several
 * calls the one with the highest score is the one that is asked about.
 *
 * @example scoreCall({ title: 'Bash command', body: 'touch a.txt' }, { tool: 'Bash', input: { command: 'touch a.txt' } }) // 10
 */
export function scoreCall(dialog: DialogText, { tool, input }: ReportedCall): number {
  const text = getText(dialog)
  const fields = toFields(input)
  const [subject] = subjects.flatMap((name) => {
    const value = fields[name]
    const joined = Array.isArray(value) ? value.join(' ') : value
    return typeof joined === 'string' && joined.trim() !== '' ? [{ name, value: joined }] : []
  })
  if (subject) {
    const shown = pathNames.has(subject.name)
      ? scorePath(text, subject.value)
      : scoreText(text, subject.value)
    // Several calls may be about one file: the one whose other fields are shown too is meant.
    return shown === 0 ? 0 : shown + scoreValues(text, fields, subject.name)
  }
  const values = scoreValues(text, fields)
  return values > 0 || Object.keys(fields).length === 0 ? scoreName(text, tool) && values + 1 : 0
}

const pathNames = new Set(['file_path', 'notebook_path', 'path'])
/** The fields that say what a call is about, the most specific first. */
const subjects = ['command', 'cmd', ...pathNames, 'url', 'query', 'pattern', 'prompt', 'patch']

/** All text of a dialog, line by line. @example getText(ask).split('\n') */
export function getText({ title, body = '', options = [] }: DialogText): string {
  return [title, body, ...options.map(({ label }) => label)].join('\n')
}

/** At least this much of a text that is cut or scrolled must be shown. */
const enough = 20

function scoreText(text: string, value: string): number {
  const wanted = bare(value)
  if (isShown(text, value)) return wanted.length
  // Of a long text a part may be above the screen or cut.
  const lines = value.split('\n').filter((line) => bare(line).length >= enough)
  const seen = lines.filter((line) => isShown(text, line)).reduce((sum, line) => sum + bare(line).length, 0)
  if (seen > 0) return seen
  const cut = text
    .split('\n')
    .flatMap((line) => /^(.*?)(?:…|\.\.\.)\W*$/.exec(line)?.[1] ?? [])
    .map(bare)
  return Math.max(
    0,
    ...cut.filter((start) => start.length >= enough && wanted.includes(start)).map((start) => start.length),
  )
}

/** A path is shown whole, from the folder of the session on, or by its name alone. */
function scorePath(text: string, path: string): number {
  const parts = path.split('/').filter((part) => part !== '')
  for (let from = 0; from < parts.length; from++) {
    const end = parts.slice(from).join('/')
    if (isShown(text, end)) return bare(end).length
  }
  return 0
}

function scoreValues(text: string, fields: Record<string, unknown>, except?: string): number {
  return Object.entries(fields)
    .filter(([name, value]) => name !== except && (typeof value === 'string' || typeof value === 'number'))
    .flatMap(([, value]) => String(value).split('\n'))
    .filter((line) => bare(line) !== '' && isShown(text, line))
    .reduce((sum, line) => sum + bare(line).length, 0)
}

/** Dialogs write the name of a tool in their own way: `desk - make`, `desk — Make Tool`. */
function scoreName(text: string, tool: string): number {
  const plain = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  const name = plain(tool.split('__').at(-1) ?? tool)
  return name !== '' && plain(text).includes(name) ? name.length : 0
}

/** Whether a dialog names a tool. @example showsTool(ask, 'mcp__desk__make') */
export function showsTool(dialog: DialogText, tool: string): boolean {
  return scoreName(getText(dialog), tool) > 0
}

/** Whether a text shows a value as words of its own, wherever its rows are broken. */
function isShown(text: string, value: string): boolean {
  const wanted = bare(value)
  if (wanted === '') return false
  // Only the beginning of a very long value: a dialog that shows so much of it shows all of it, or cuts it.
  const characters = Array.from(wanted.slice(0, 2000), (each) => each.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'))
  return new RegExp(`(?<![\\w./-])${characters.join('[\\s│┃▌]*')}(?![\\w-]|[./]\\w)`, 'u').test(text)
}

/** Rows are broken wherever the screen ends. */
function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

interface Shown extends DialogText {
  readonly kind: string
  readonly options: readonly { readonly id: string; readonly label: string }[]
}

/** Less than this in common may be chance. */
const minCommon = 20

/**
 * Whether two readings of a screen show the same dialog: redrawn in another width, scrolled, or with rows that were missing
 * before. A request with other text is another dialog.
 *
 * @example isSameDialog(open.shown, now.ask)
 */
export function isSameDialog(one: Shown, other: Shown): boolean {
  if (one.kind !== other.kind || !hasSameOptions(one, other)) return false
  const [texts, others] = [toRows(one), toRows(other)]
  const [text, otherText] = [texts.join(''), others.join('')]
  if (text === otherText) return true
  const [shorter, longer] = text.length < otherText.length ? [texts, others] : [others, texts]
  const [part, whole] = [shorter.join(''), longer.join('')]
  return (part.length >= minCommon && whole.endsWith(part)) || isSubsequence(shorter, longer)
}

function hasSameOptions({ options: ones }: Shown, { options: others }: Shown): boolean {
  const ids = (options: Shown['options']): string => options.map(({ id }) => id).join(' ')
  return ids(ones) === ids(others)
}

/** Rows without blanks and frames, the title and the body alone. */
function toRows({ title, body }: Shown): string[] {
  return getText({ title, body })
    .split('\n')
    .map((row) => row.replaceAll(/[\s─-╿▀-▟]+/gu, ''))
    .filter((row) => row !== '')
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0
  for (const row of whole) if (row === part[found]) found++
  return part.length > 0 && found === part.length
}
