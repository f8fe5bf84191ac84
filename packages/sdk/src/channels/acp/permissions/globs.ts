// These functions match texts that a model wrote. Their time is bounded by the lengths of glob and text, while a RegExp
// made of the glob could take forever.

/** Whether a text fits a glob in which `*` is any part. @example fitsText('mcp__*', 'mcp__files__read') // true */
export function fitsText(glob: string, text: string): boolean {
  return fitsParts(glob, text, '*', (one, other) => one === other)
}

/**
 * Whether a path with `/` matches a glob: `*` and `?` stay within a name, `**` is any number of folders. Dot files are
 * not special.
 *
 * @example fitsPath('src/**', 'src/a/b.ts') // true
 */
export function fitsPath(glob: string, path: string): boolean {
  const parts = path.split('/')
  return alternatives(glob.replace(/^\.\//, '').replace(/\/$/, '/**')).some((one) =>
    fitsParts(one.split('/'), parts, '**', fitsName),
  )
}

function fitsName(glob: string, name: string): boolean {
  return fitsParts(Array.from(glob), Array.from(name), '*', (one, other) => one === '?' || one === other)
}

/**
 * Expands `{a,b}`. Returns nothing if there are too many alternatives.
 *
 * @example alternatives('*.{ts,js}') // ['*.ts', '*.js']
 */
export function alternatives(glob: string, most = 256): string[] {
  let globs = ['']
  // An unbalanced or nested brace is literal.
  for (const piece of glob.split(/(\{[^{}]*\})/)) {
    const choices = /^\{.*,.*\}$/s.test(piece) ? piece.slice(1, -1).split(',') : [piece]
    if (globs.length * choices.length > most) return []
    globs = globs.flatMap((start) => choices.map((choice) => start + choice))
  }
  return globs
}

/** Matches part by part; a wildcard matches any number of parts. Only the last wildcard ever has to be extended. */
function fitsParts(
  glob: ArrayLike<string>,
  parts: ArrayLike<string>,
  joker: string,
  fits: (glob: string, part: string) => boolean,
): boolean {
  let inGlob = 0
  let inParts = 0
  let back: { glob: number; parts: number } | undefined
  while (inParts < parts.length) {
    const one = glob[inGlob]
    if (one === joker) {
      back = { glob: ++inGlob, parts: inParts }
    } else if (one !== undefined && fits(one, parts[inParts] ?? '')) {
      inGlob++
      inParts++
    } else if (back) {
      inParts = ++back.parts
      inGlob = back.glob
    } else {
      return false
    }
  }
  while (glob[inGlob] === joker) inGlob++
  return inGlob === glob.length
}
