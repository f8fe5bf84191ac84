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
  /** From the repository's uppermost folder on. */
  readonly path: string
  /** What it was called before. */
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
 * Reads what `git diff --raw --numstat -z` says: first which files, then how many lines.
 *
 * @example const files = parseChangedFiles(stdout.toString())
 */
export function parseChangedFiles(output: string): ChangedFile[] {
  const words = output.split('\0')
  const files = new Map<string, ChangedFile>()
  for (let index = 0; index < words.length && words[index] !== ''; index++) {
    const word = words[index]!
    if (word.startsWith(':')) {
      const letter = word.split(' ')[4]?.[0] ?? 'M'
      const moved = letter === 'R' || letter === 'C'
      const from = moved ? words[++index] : undefined
      const path = words[++index]
      if (path === undefined || path === '') break
      const status = statuses[letter] ?? 'modified'
      files.set(path, { path, ...(from === undefined ? {} : { from }), status })
      continue
    }
    const [added = '', deleted = '', name = ''] = splitTwice(word)
    let path = name
    if (name === '') {
      index += 2
      path = words[index] ?? ''
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
 * The hunks of every file in a unified diff, by path.
 *
 * @example const hunks = parsePatch(stdout.toString()).get('src/index.ts')
 */
export function parsePatch(patch: string): Map<string, string> {
  const hunks = new Map<string, string>()
  // Within a hunk every line begins with one of ` +-\@`, so that this line cannot be the text of a file.
  for (const part of patch.split(/^(?=diff --git |\* Unmerged path )/m)) {
    if (!part.startsWith('diff --git ')) continue
    const start = part.search(/^@@ /m)
    const head = start === -1 ? part : part.slice(0, start)
    const path = pathOf(head)
    if (path === undefined || start === -1) continue
    const body = part.slice(start).replace(/\n$/, '')
    hunks.set(path, hunks.has(path) ? `${hunks.get(path)}\n${body}` : body)
  }
  return hunks
}

function pathOf(head: string): string | undefined {
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
    // A name with a space in it has a tab behind.
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

/** Git writes strange names in quotation marks, with signs in octal. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: Buffer[] = []
  for (const [, octal, sign, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]))
    else bytes.push(Buffer.from(plain ?? escapes[sign!] ?? sign!))
  }
  return Buffer.concat(bytes).toString()
}

function splitTwice(word: string): string[] {
  const first = word.indexOf('\t')
  const second = word.indexOf('\t', first + 1)
  return [word.slice(0, first), word.slice(first + 1, second), word.slice(second + 1)]
}
