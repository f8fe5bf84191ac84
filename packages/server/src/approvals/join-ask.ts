import type { Ask } from '@remora/protocol'
import type { ScreenAsk } from '@remora/sdk/hooks'

/** What a hook knows of a call beyond the screen: the agent's own words. */
export type KnownByHook = Partial<Pick<Ask, 'tool' | 'input' | 'exact' | 'toolUse' | 'parent'>>

/** What an agent tells its PermissionRequest hook, as far as it matters here. */
export interface HookPayload {
  readonly tool_name?: unknown
  readonly tool_input?: unknown
  readonly tool_use_id?: unknown
  /** The sub-agent that asks. */
  readonly agent_id?: unknown
}

/**
 * Whether a dialog on the screen and a waiting hook are about the same call; then the hook tells tool and input exactly,
 * and the screen its options. Undefined if they are not, or if it cannot be told.
 *
 * @example const ask = { ...shown, ...joinAsk(shown, payload) }
 */
export function joinAsk(shown: Omit<ScreenAsk, 'options'>, payload: HookPayload): KnownByHook | undefined {
  const { tool_name: tool, tool_input: input, tool_use_id: id, agent_id: parent } = payload
  if (shown.kind !== 'permission' || typeof tool !== 'string' || tool === '') return undefined
  if (shown.tool !== undefined && !sameTool(shown.tool, tool)) return undefined
  const fields = fieldsOf(input)
  const subject = subjects.map((name) => fields[name]).find((value) => typeof value === 'string')
  const fits = typeof subject === 'string' ? isShown(subject, shown) : shown.tool !== undefined
  if (!fits) return undefined
  return {
    tool,
    input,
    exact: true,
    ...(typeof id === 'string' ? { toolUse: id } : {}),
    ...(typeof parent === 'string' ? { parent } : {}),
  }
}

/** What a dialog is about, by the names that the tools have for it, the most telling first. */
const subjects = ['command', 'file_path', 'notebook_path', 'path', 'url', 'query', 'pattern', 'prompt']

/** Claude shows several of its tools for files by the same dialog. */
const changes = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

function sameTool(one: string, other: string): boolean {
  return one === other || (changes.has(one) && changes.has(other))
}

/** A dialog cuts a long text off with one of these. */
const ellipsis = /(?:…|\.\.\.)$/
/** So much of a cut text must be there, to be taken for the same. */
const enough = 20

function isShown(subject: string, { title, body, input }: Omit<ScreenAsk, 'options'>): boolean {
  const wanted = bare(subject)
  const own = subjects.map((name) => fieldsOf(input)[name]).find((value) => typeof value === 'string')
  if (typeof own === 'string') {
    const read = bare(own)
    if (read === wanted) return true
    const start = read.replace(ellipsis, '')
    if (start !== read) return start.length >= enough && wanted.startsWith(start)
    // A path is often shown from the folder on, or by its name alone.
    return (
      wanted.startsWith('/') && wanted.endsWith(`/${start.replace(/^\.?\//, '')}`) && !/[;&|]/.test(start)
    )
  }
  const text = bare(`${title}\n${body ?? ''}`)
  return (
    text.includes(wanted) ||
    (wanted.startsWith('/') && text.includes(wanted.slice(wanted.lastIndexOf('/') + 1)))
  )
}

/** Lines are broken on a screen wherever they end. */
function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
