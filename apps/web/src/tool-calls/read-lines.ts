/** File text without line number prefixes, and the line numbers. */
export interface NumberedText {
  readonly text: string
  readonly numbers: number | readonly (number | undefined)[]
}

const forms = [
  // Claude
  /^\s*(\d+)(?:→|\t)(.*)$/,
  // OpenCode, earlier and today
  /^(\d{5})\| ?(.*)$/,
  /^(\d+): ?(.*)$/,
]

/** @example parseNumberedText('     1→a\n     2→b') // { text: 'a\nb', numbers: [1, 2] } */
export function parseNumberedText(output: string, offset = 1): NumberedText {
  const inner =
    /^(?:<path>[\s\S]*?<\/path>\s*)?(?:<type>[\s\S]*?<\/type>\s*)?<(file|content)>\n?([\s\S]*?)\n?(?:<\/\1>[\s\S]*)?$/.exec(
      output,
    )
  const body = inner?.[2] ?? output
  const lines = body.replace(/\n$/, '').split('\n')
  // One format applies to the whole file, because code may contain similar lines.
  for (const form of forms.slice(0, inner ? forms.length : 2)) {
    const first = form.exec(lines[0] ?? '')
    if (!first) continue
    const numbers: (number | undefined)[] = []
    const texts: string[] = []
    for (const line of lines) {
      const match = form.exec(line)
      numbers.push(match ? Number(match[1]) : undefined)
      texts.push(match ? match[2]! : line)
    }
    return { text: texts.join('\n'), numbers }
  }
  return { text: lines.join('\n'), numbers: offset }
}
