const begin = '<!-- remora: lessons begin -->'
const end = '<!-- remora: lessons end -->'

/**
 * Replaces the text between our two markers in a memory file. Everything else stays byte for byte. A file without
 * markers gets the block at its end. An empty text removes the block.
 *
 * @example withBlock('# My project\n', '- Use rg.\n')
 */
export function withBlock(text: string, body: string): string {
  const place = findBlock(text)
  // The line ending of the existing block, or else of the file.
  const newline = (place ? text.slice(place.start, place.end) : text).includes('\r\n') ? '\r\n' : '\n'
  const block = `${begin}\n${body.trim()}\n${end}`.replaceAll('\n', newline)
  if (!place) {
    if (body.trim() === '') return text
    // Always exactly one newline, so that removing the block restores the file.
    return `${text}${text === '' ? '' : newline}${block}${newline}`
  }
  if (body.trim() !== '') return text.slice(0, place.start) + block + text.slice(place.end)
  // The newline before the block and the one at its end were added with it.
  const [before, after] = [text.slice(0, place.start), text.slice(place.end).replace(/^\r?\n/, '')]
  const rest = before.endsWith(newline) ? before.slice(0, -newline.length) : before
  // Text that the user added after the block must not be joined to the line before it.
  return (after === '' || rest === '' || rest.endsWith('\n') ? rest : before) + after
}

/**
 * The position of the block; undefined without both markers.
 *
 * @example findBlock(readFileSync('AGENTS.md', 'utf8'))
 */
export function findBlock(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start)
  return stop < 0 ? undefined : { start, end: stop + end.length }
}
