export type ChangeStatus =
  | 'added'
  | 'modified'
  | 'deleted'
  | 'renamed'
  | 'copied'
  | 'type'
  | 'conflict'
  | 'untracked'

export interface ChangedFile {
  /** Relative to the root of the repository. */
  readonly path: string
  /** The path before a rename or copy. */
  readonly from?: string
  readonly status: ChangeStatus
  readonly additions?: number
  readonly deletions?: number
  readonly binary?: true
}

const statuses: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type',
  U: 'conflict',
}

/**
 * Parses the output of `git diff --raw --numstat -z`: first the files, then their line counts.
 *
 * @example const files = parseChangedFiles(stdout.toString())
 */
export function parseChangedFiles(output: string): ChangedFile[] {
  const fields = output.split('\0')
  const files = new Map<string, ChangedFile>()
  for (let index = 0; index < fields.length && fields[index] !== ''; index++) {
    const field = fields[index]!
    if (field.startsWith(':')) {
      const letter = field.split(' ')[4]?.[0] ?? 'M'
      const moved = letter === 'R' || letter === 'C'
      const from = moved ? fields[++index] : undefined
      const path = fields[++index]
      if (path === undefined || path === '') break
      const status = statuses[letter] ?? 'modified'
      files.set(path, { path, from, status })
      continue
    }
    const [added = '', deleted = '', name = ''] = splitTwice(field)
    let path = name
    if (name === '') {
      index += 2
      path = fields[index] ?? ''
    }
    const file = files.get(path)
    if (!file) continue
    const counts =
      added === '-' ? { binary: true as const } : { additions: Number(added), deletions: Number(deleted) }
    files.set(path, { ...file, ...counts })
  }
  return [...files.values()]
}

/**
 * Parses the hunks of every file in a unified diff, by path.
 *
 * @example const hunks = parsePatch(stdout.toString()).get('src/index.ts')
 */
export function parsePatch(patch: string): Map<string, string> {
  const hunks = new Map<string, string>()
  // Lines of a hunk start with one of ` +-\@`, so the separator cannot be file content.
  for (const part of patch.split(/^(?=diff --git |\* Unmerged path )/m)) {
    if (!part.startsWith('diff --git ')) continue
    const start = part.search(/^@@ /m)
    const head = start === -1 ? part : part.slice(0, start)
    const path = parsePath(head)
    if (path === undefined || start === -1) continue
    const body = part.slice(start).replace(/\n$/, '')
    hunks.set(path, hunks.has(path) ? `${hunks.get(path)}\n${body}` : body)
  }
  return hunks
}

function parsePath(head: string): string | undefined {
  const line = (start: string) =>
    head
      .split('\n')
      .find((each) => each.startsWith(start))
      ?.slice(start.length)
  const to = line('rename to ') ?? line('copy to ')
  if (to !== undefined) return unquote(to)
  for (const [start, prefix] of [
    ['+++ ', 'b/'],
    ['--- ', 'a/'],
  ] as const) {
    // Git appends a tab to a name with a space.
    const name = line(start)?.replace(/\t$/, '')
    if (name !== undefined && name !== '/dev/null') return unquote(name).slice(prefix.length)
  }
  return undefined
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** Git quotes unusual names, with bytes in octal. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: Buffer[] = []
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]))
    else bytes.push(Buffer.from(plain ?? escapes[escaped!] ?? escaped!))
  }
  return Buffer.concat(bytes).toString()
}

function splitTwice(field: string): string[] {
  const first = field.indexOf('\t')
  const second = field.indexOf('\t', first + 1)
  return [field.slice(0, first), field.slice(first + 1, second), field.slice(second + 1)]
}
