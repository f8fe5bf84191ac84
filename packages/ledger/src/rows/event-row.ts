import { type Event, limitDepth, maxJsonDepth, parseJson } from '@remora/protocol/plain'

/** An event row, joined with its session and its source. */
export interface EventRow {
  readonly seq: number
  readonly agent: string
  readonly session: string
  readonly channel: string
  readonly source: string
  readonly key: string
  readonly digest: string
  readonly type: string
  readonly entity: string
  readonly at: number
  readonly parent: string | null
  readonly record: number | null
  readonly body: string
  readonly raw: string | null
}

/** The position of a string in the raw text: its path in the event, start and length. */
type Position = readonly [path: readonly (string | number)[], start: number, length: number]

const ownColumns = new Set(['type', 'agent', 'session', 'entity', 'origin', 'at', 'parent', 'raw'])

/** Readers refuse what is nested deeper than maxJsonDepth; an event adds a few levels around it. */
const maxDepth = maxJsonDepth + 50

/** Shorter strings are stored directly. */
const minSharedLength = 200

/**
 * Encodes the fields that have no column of their own, as JSON. Most of a transcript is long strings that its raw lines
 * contain as JSON too. Those are stored as positions in the raw text, which halves the size of the ledger and the time
 * to write it.
 */
export function encodeBody(event: Event, raw: string | undefined): string {
  const positions: Position[] = []
  let text = ''
  for (const name in event) {
    if (ownColumns.has(name)) continue
    const value = limitDepth<unknown>(event[name as keyof Event], maxDepth)
    if (value === undefined) continue
    text += text === '' ? '{' : ','
    text += `${quoteName(name)}:${encode(value, raw, [name], positions)}`
  }
  text = text === '' ? '{}' : `${text}}`
  return positions.length === 0 ? text : `[${text},${JSON.stringify(positions)}]`
}

const quotedNames = new Map<string, string>()

/** The JSON form of a field name, cached because few names occur in every event. */
function quoteName(name: string): string {
  let text = quotedNames.get(name)
  if (text === undefined) {
    text = JSON.stringify(name)
    if (quotedNames.size < 1000) quotedNames.set(name, text)
  }
  return text
}

function encode(
  value: unknown,
  raw: string | undefined,
  path: readonly (string | number)[],
  positions: Position[],
): string {
  if (typeof value === 'string') {
    const position = raw === undefined || value.length < minSharedLength ? undefined : findString(value, raw)
    if (position === undefined) return JSON.stringify(value)
    positions.push([path, ...position])
    return 'null'
  }
  if (typeof value !== 'object' || value === null || raw === undefined || !hasLongString(value))
    return JSON.stringify(value) ?? 'null'
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) parts.push(encode(each, raw, [...path, index], positions))
    return `[${parts.join()}]`
  }
  for (const [key, each] of Object.entries(value))
    if (each !== undefined)
      parts.push(`${JSON.stringify(key)}:${encode(each, raw, [...path, key], positions)}`)
  return `{${parts.join()}}`
}

/**
 * Finds this string as JSON in a text: searches its beginning, then parses and compares, since parsing JSON is several
 * times faster than writing it.
 */
function findString(value: string, raw: string): [start: number, length: number] | undefined {
  const beginning = JSON.stringify(value.slice(0, 40)).slice(0, -1)
  for (let start = -1, tries = 0; tries < 4; tries++) {
    start = raw.indexOf(beginning, start + 1)
    const end = start === -1 ? -1 : findClosingQuote(raw, start + beginning.length)
    if (end === -1) return undefined
    const length = end + 1 - start
    if (length > value.length && tryParse(raw.slice(start, end + 1)) === value) return [start, length]
  }
  return undefined
}

function findClosingQuote(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes++
    if (escapes % 2 === 0) return end
  }
  return -1
}

function hasLongString(value: object): boolean {
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key]
    if (
      typeof each === 'string'
        ? each.length >= minSharedLength - 2
        : typeof each === 'object' && each && hasLongString(each)
    )
      return true
  }
  return false
}

/** The text of an event's own record, if it has one. */
export function encodeRaw(event: Event): string | undefined {
  return event.raw === undefined ? undefined : (JSON.stringify(limitDepth(event.raw, maxDepth)) ?? 'null')
}

/** Decodes a row. `getRaw` returns the raw text of another row. */
export function decodeEvent(row: EventRow, getRaw: (seq: number) => string): Event {
  return {
    type: row.type,
    agent: row.agent,
    session: row.session,
    entity: row.entity,
    origin: {
      channel: row.channel,
      source: row.source,
      key: row.key,
      ...(row.digest === '' ? {} : { digest: row.digest }),
    },
    at: row.at,
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...decodeBody(row, getRaw),
    ...(row.raw === null ? {} : { raw: tryParse(row.raw) }),
  } as Event
}

export function decodeBody(
  row: Pick<EventRow, 'record' | 'body' | 'raw'>,
  getRaw: (seq: number) => string,
): object {
  const body = JSON.parse(row.body) as object | [object, Position[]]
  // Earlier versions stored values of any depth.
  if (!Array.isArray(body)) return row.body.length > 2 * maxDepth ? limitDepth(body, maxDepth + 1) : body
  const [fields, positions] = body as [object, Position[]]
  const raw = row.raw ?? getRaw(row.record!)
  for (const [path, start, length] of positions)
    setAt(fields, path, JSON.parse(raw.slice(start, start + length)))
  return limitDepth(fields, maxDepth + 1)
}

function setAt(target: object, path: readonly (string | number)[], value: unknown): void {
  let place = target as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>
  place[path.at(-1)!] = value
}

/** Parses JSON, or returns the text itself. */
function tryParse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
