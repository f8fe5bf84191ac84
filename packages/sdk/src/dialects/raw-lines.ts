import type { Event } from '@remora/protocol/plain'

/**
 * The lines of the files that told these events, file by file. A line is keyed by its offset, and a file starts at
 * offset 0. A record that comes again with another one, because it had to wait for it, is taken once; a line that the
 * file really has twice is taken twice. A line that replaces another one replaces all that followed.
 *
 * @example const [lines = []] = collectRawLines(events)
 */
export function collectRawLines(events: readonly Event[]): string[][] {
  const files: Map<number, string>[] = []
  let known = new Set<string>()
  for (const { raw, origin, ...event } of events) {
    if (raw === undefined || (event.type === 'unknown' && event.what === 'too long')) continue
    const offset = Number.parseInt(origin.key, 10)
    const text = typeof raw === 'string' ? raw : JSON.stringify(raw)
    if ((offset === 0 && !known.has(text)) || files.length === 0) {
      files.push(new Map([[offset, text]]))
      known = new Set([text])
      continue
    }
    const lines = files.at(-1)!
    const isTaken = Number.isNaN(offset) || lines.has(offset)
    if (isTaken && known.has(text)) continue
    if (isTaken) {
      for (const other of lines.keys()) if (other >= offset) lines.delete(other)
      known = new Set(lines.values())
    }
    lines.set(offset, text)
    known.add(text)
  }
  return files.map((lines) => [...lines.values()])
}

/**
 * Events by who told them: the session's own transcript (''), or that of a sub-agent, by its id.
 *
 * @example groupByTranscript(events).get('')
 */
export function groupByTranscript(events: readonly Event[]): Map<string, Event[]> {
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

/** @example joinLines(['{"a":1}']) // '{"a":1}\n' */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
