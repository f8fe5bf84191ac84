const begin = '<!-- remora: lessons begin -->'
const end = '<!-- remora: lessons end -->'

/**
 * Puts a text between our two marks in a file for agents, in the place of what stood there. All else stays, byte for
 * byte; a file that has no such place gets one at its end. An empty text takes the block away.
 *
 * @example withBlock('# My project\n', '- Use rg.\n')
 */
export function withBlock(text: string, body: string): string {
  const place = findBlock(text)
  // As the block is written already, or else as the file is.
  const newline = (place ? text.slice(place.start, place.end) : text).includes('\r\n') ? '\r\n' : '\n'
  const block = `${begin}\n${body.trim()}\n${end}`.replaceAll('\n', newline)
  if (!place) {
    if (body.trim() === '') return text
    // One newline, whether the last line has an end or not: so it is known what to take away again.
    return `${text}${text === '' ? '' : newline}${block}${newline}`
  }
  if (body.trim() !== '') return text.slice(0, place.start) + block + text.slice(place.end)
  // The newline before it and the end of its own line came with it.
  const [before, after] = [text.slice(0, place.start), text.slice(place.end).replace(/^\r?\n/, '')]
  const rest = before.endsWith(newline) ? before.slice(0, -newline.length) : before
  // What somebody wrote behind it must not run into the line before it.
  return (after === '' || rest === '' || rest.endsWith('\n') ? rest : before) + after
}

/** Where the block stands; undefined where there is none, or only half of one. */
export function findBlock(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start)
  return stop < 0 ? undefined : { start, end: stop + end.length }
}
