import type { Ask } from '../model/ask.ts'

/** A request of an agent, in parts that can be shown. Nothing is left out: everything without its own part is a field. */
export interface RequestParts {
  readonly command?: string
  /** The reason that the agent gives. */
  readonly note?: string
  readonly path?: string
  readonly changes: readonly { readonly before: string; readonly after: string }[]
  /** The whole content of a file. */
  readonly content?: string
  readonly plan?: string
  readonly fields: readonly { readonly name: string; readonly text: string }[]
  /** Other text of the agent; absent if the other parts contain it. */
  readonly body?: string
}

/** @example getRequestParts(ask).command // 'rm -rf build' */
export function getRequestParts({
  kind,
  title,
  body,
  input,
}: Pick<Ask, 'kind' | 'title' | 'body' | 'input'>): RequestParts {
  const left = new Map(Object.entries(isRecord(input) ? input : {}))
  const take = (...names: string[]): string | undefined => {
    const name = names.find((each) => typeof left.get(each) === 'string' && left.get(each) !== '')
    const value = name === undefined ? undefined : left.get(name)
    if (name !== undefined) left.delete(name)
    return value as string | undefined
  }
  const command = take('command')
  const note = take('description')
  const path = take('file_path', 'notebook_path', 'path')
  const changes = takeChanges(left)
  const content = path === undefined ? undefined : take('content', 'new_source')
  const plan = take('plan') ?? (kind === 'plan' ? text(body) : undefined)
  if (input !== undefined && !isRecord(input)) left.set('', input)
  const fields = [...left].map(([name, value]) => ({ name, text: written(value) }))
  const known = [title, command, plan, path, content].map((part) => part ?? '')
  // Exactly: a text that differs in its spaces only may run as something else.
  const isNew = text(body) !== undefined && !known.some((part) => part.includes(body!.trim()))
  return {
    ...(command === undefined ? {} : { command }),
    ...(note === undefined ? {} : { note }),
    ...(path === undefined ? {} : { path }),
    changes,
    ...(content === undefined ? {} : { content }),
    ...(plan === undefined ? {} : { plan }),
    fields,
    ...(isNew ? { body: body! } : {}),
  }
}

function takeChanges(left: Map<string, unknown>): { before: string; after: string }[] {
  const one = parseChange(Object.fromEntries(left))
  if (one) {
    left.delete('old_string')
    left.delete('new_string')
    return [one]
  }
  const edits = left.get('edits')
  const many = Array.isArray(edits) ? (edits as unknown[]).map(parseChange) : []
  // One that is not understood must be seen too: then all of them stay as they were written.
  if (many.length === 0 || many.some((each) => each === undefined)) return []
  left.delete('edits')
  return many as { before: string; after: string }[]
}

function parseChange(value: unknown): { before: string; after: string } | undefined {
  if (!isRecord(value)) return undefined
  const { old_string: before, new_string: after } = value
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : undefined
}

function written(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value, undefined, 2) ?? String(value)
}

function text(value: string | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
