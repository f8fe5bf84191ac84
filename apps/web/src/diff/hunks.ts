/** Consecutive lines of a change, each starting with `+`, `-` or a space. */
export interface Hunk {
  /** Start lines before and after; undefined if only the changed text is known. */
  readonly oldStart: number | undefined
  readonly newStart: number | undefined
  readonly lines: readonly string[]
}

export interface FileDiff {
  readonly path: string | undefined
  readonly kind: 'add' | 'delete' | 'update'
  readonly hunks: readonly Hunk[]
  /** The full texts, where an exact diff still has to be made. */
  readonly texts?: { readonly before: string; readonly after: string }
}

export interface DiffStat {
  readonly added: number
  readonly removed: number
}

/** The hunks of a unified diff, without the text around them. */
export function parseUnifiedDiff(diff: string): Hunk[] {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = []
  let left = { before: 0, after: 0 }
  for (const line of diff.split('\n')) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (head) {
      hunks.push({ oldStart: Number(head[1]), newStart: Number(head[3]), lines: [] })
      left = { before: Number(head[2] ?? 1), after: Number(head[4] ?? 1) }
      continue
    }
    // Lines are counted, so that a removed line `-- a` is not taken for a file header.
    if (hunks.length === 0 || (left.before <= 0 && left.after <= 0)) continue
    const sign = line[0]
    if (sign === '\\') continue
    if (sign !== '+') left.before--
    if (sign !== '-') left.after--
    hunks.at(-1)!.lines.push(sign === '+' || sign === '-' || sign === ' ' ? line : ` ${line}`)
  }
  return hunks.filter(({ lines }) => lines.length > 0)
}

/** The files of an `apply_patch` text. Its hunks have no line numbers. */
export function parsePatch(patch: string): FileDiff[] {
  const files: { path: string; kind: FileDiff['kind']; hunks: { lines: string[] }[] }[] = []
  for (const line of patch.split('\n')) {
    const head = /^\*\*\* (Add|Delete|Update) File: (.+?)\s*$/.exec(line)
    if (head) {
      files.push({ path: head[2]!, kind: head[1]!.toLowerCase() as FileDiff['kind'], hunks: [] })
      continue
    }
    const file = files.at(-1)
    if (!file || line.startsWith('*** ')) continue
    if (line.startsWith('@@')) file.hunks.push({ lines: [] })
    else if (/^[-+ ]/.test(line)) {
      if (file.hunks.length === 0) file.hunks.push({ lines: [] })
      file.hunks.at(-1)!.lines.push(line)
    }
  }
  return files.map(({ path, kind, hunks }) => ({
    path,
    kind,
    hunks: hunks
      .filter(({ lines }) => lines.length > 0)
      .map(({ lines }) => {
        const start = kind === 'add' ? 1 : undefined
        return { oldStart: start, newStart: start, lines }
      }),
  }))
}

/** All lines of a text as added or removed lines. */
export function toWholeHunk(text: string, sign: '+' | '-'): Hunk[] {
  const lines = splitLines(text)
  return lines.length === 0 ? [] : [{ oldStart: 1, newStart: 1, lines: lines.map((line) => sign + line) }]
}

/** A quick diff: everything between the common start and the common end. */
export function diffRoughly(before: string, after: string): Hunk[] {
  const old = splitLines(before)
  const now = splitLines(after)
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const lines = [
    ...old.slice(Math.max(0, head - 3), head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + 3).map((line) => ` ${line}`),
  ]
  return lines.length === 0 ? [] : [{ oldStart: undefined, newStart: undefined, lines }]
}

export function countChanges(files: readonly FileDiff[]): DiffStat {
  let added = 0
  let removed = 0
  for (const { hunks } of files)
    for (const { lines } of hunks)
      for (const line of lines) {
        if (line[0] === '+') added++
        else if (line[0] === '-') removed++
      }
  return { added, removed }
}

function splitLines(text: string): string[] {
  if (text === '') return []
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}
