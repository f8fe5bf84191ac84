import type { Event } from '@remora/protocol/plain'

/**
 * Collects the raw lines of the transcript files behind these events, file by file. A line's key is its offset, and a
 * file starts at offset 0. A record repeated with a later event counts once; a line that occurs twice in the file counts
 * twice. A line at a known offset replaces the old line and all after it.
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
 * Groups events by transcript: the session's own (''), or a subagent's by its id.
 *
 * @example groupByTranscript(events).get('')
 */
export function groupByTranscript(events: readonly Event[]): Map<string, Event[]> {
  const found = new Map<string, Event[]>()
  for (const event of events) {
    // Only safe ids, because the id becomes a file name.
    const match = /^transcript(?:\/([\w-][\w.-]*))?$/.exec(event.origin.source)
    if (!match) continue
    const id = match[1] ?? ''
    const group = found.get(id)
    if (group) group.push(event)
    else found.set(id, [event])
  }
  return found
}

/** @example joinLines(['{"a":1}']) // '{"a":1}\n' */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
