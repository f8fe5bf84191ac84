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

/** Fields of an ask that describe its request. */
type RequestField = 'kind' | 'title' | 'body' | 'tool' | 'input'
/** Fields of an ask that identify it, or say how it is answered. */
type OtherField = 'id' | 'toolUse' | 'exact' | 'parent' | 'options' | 'freeText' | 'digest' | 'expiresAt'

/** What an agent asks for. It becomes `never` while a field of `Ask` belongs to neither list. */
export type Request = [Exclude<keyof Ask, RequestField | OtherField>] extends [never]
  ? Pick<Ask, RequestField>
  : never

/** @example getRequestParts(ask).command // 'rm -rf build' */
export function getRequestParts({ kind, title, body, input }: Request): RequestParts {
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
  // Exactly, because a text that differs only in its spaces may run differently.
  const isNew = text(body) !== undefined && !known.some((part) => part.includes(body!.trim()))
  // Every part is named, so that a new one does not compile until it is set here.
  const parts: { [Part in keyof Required<RequestParts>]: RequestParts[Part] | undefined } = {
    command,
    note,
    path,
    changes,
    content,
    plan,
    fields,
    body: isNew ? body : undefined,
  }
  const present = Object.entries(parts).filter(([, part]) => part !== undefined)
  return Object.fromEntries(present) as unknown as RequestParts
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
  // Unknown ones must be visible too, so all of them stay unchanged.
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
