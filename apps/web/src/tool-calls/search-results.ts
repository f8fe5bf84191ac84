/** The matches in one file. */
export interface FoundFile {
  readonly path: string
  readonly lines: readonly { readonly number: number | undefined; readonly text: string }[]
}

/**
 * The files and lines of a search in the formats of the agents; undefined for other output.
 *
 * @example parseFoundFiles('a.ts:3:let x') // [{ path: 'a.ts', lines: [{ number: 3, text: 'let x' }] }]
 */
export function parseFoundFiles(output: string): readonly FoundFile[] | undefined {
  const files = new Map<string, { number: number | undefined; text: string }[]>()
  const lines = output.split('\n')
  let current: string | undefined
  let known = 0
  let strange = 0
  for (const line of lines) {
    if (line.trim() === '' || line === '---' || line === '--' || isRemark(line)) continue
    const gemini = /^File: (.+)$/.exec(line)
    const openCode = /^((?:\/|[A-Za-z]:[\\/]).*):$/.exec(line)
    const header = gemini?.[1] ?? openCode?.[1]
    if (header !== undefined) {
      current = header
      put(header)
      continue
    }
    const below = /^\s*(?:L(\d+)|Line (\d+)): ?(.*)$/.exec(line)
    if (below && current !== undefined) {
      put(current, Number(below[1] ?? below[2]), below[3])
      continue
    }
    const inline = /^((?:[A-Za-z]:[\\/])?[^:\n]+?)[:-](\d+)[:-](.*)$/.exec(line)
    if (inline && /[./\\]/.test(inline[1]!)) {
      put(inline[1]!, Number(inline[2]), inline[3])
      continue
    }
    strange++
  }
  return known > 0 && strange <= known / 4
    ? [...files].map(([path, found]) => ({ path, lines: found }))
    : undefined

  function put(path: string, number?: number, text?: string): void {
    known++
    const list = files.get(path) ?? []
    if (text !== undefined) list.push({ number, text })
    files.set(path, list)
  }
}

/** The paths of a file list, without the text around them. */
export function parseFoundPaths(output: string): readonly string[] {
  return output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '---' && !isRemark(line))
}

function isRemark(line: string): boolean {
  return /^(?:\[?(?:Found \d+|No (?:files|matches|file)|Directory listing|\(Results are|\(?Note:|Listed \d+))/i.test(
    line,
  )
}
