import type { Event } from '@remora/protocol/plain'

/**
 * The lines of the files that told these events, file by file. A line is keyed by its place, so that a file begins
 * where the places do; a line that was told twice, because it had moved, is taken once.
 *
 * @example const [lines = []] = toldLines(events)
 */
export function toldLines(events: readonly Event[]): string[][] {
  const files: string[][] = []
  let known = new Set<string>()
  for (const { raw, origin, ...event } of events) {
    if (raw === undefined || (event.type === 'unknown' && event.what === 'too long')) continue
    const offset = Number.parseInt(origin.key, 10)
    const text = typeof raw === 'string' ? raw : JSON.stringify(raw)
    if (offset === 0 || files.length === 0) {
      if (known.has(text)) continue
      files.push([])
      known = new Set()
    }
    if (known.has(text)) continue
    known.add(text)
    files.at(-1)!.push(text)
  }
  return files
}

/**
 * Events by who told them: the session's own transcript (''), or that of a sub-agent, by its id.
 *
 * @example byTeller(events).get('')
 */
export function byTeller(events: readonly Event[]): Map<string, Event[]> {
  const found = new Map<string, Event[]>()
  for (const event of events) {
    // An id becomes the name of a file.
    const match = /^transcript(?:\/([\w-][\w.-]*))?$/.exec(event.origin.source)
    if (!match) continue
    const id = match[1] ?? ''
    const told = found.get(id)
    if (told) told.push(event)
    else found.set(id, [event])
  }
  return found
}

/** @example asText(['{"a":1}']) // '{"a":1}\n' */
export function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
