import { type MarkLayout, formatPiece, markText } from './mark-text.ts'
import { type Request, type RequestParts, getRequestParts } from './request-parts.ts'

/** A request as text for a surface with limited space. */
export interface RequestText {
  /** The text, with invisible and misleading characters marked. An ellipsis at its end means that it is cut; an ellipsis of the agent is marked. */
  readonly text: string
  /** Whether the text shows all of the request. Where it does not, no surface offers to allow it. */
  readonly complete: boolean
  /** How many characters were left out. */
  readonly omitted: number
}

export interface RequestOptions {
  /** `lines` by default: each part below its name, its lines behind a bar. `line` for one line. */
  readonly layout?: MarkLayout
  /** The most characters. Without a limit the text is complete. */
  readonly limit?: number
  /** Replaces parts that must not be shown, such as secrets. A text that it changes is not complete. */
  readonly redact?: (text: string) => string
  /** Leaves out the title, for surfaces that show it apart. */
  readonly withoutTitle?: boolean
}

/**
 * What an agent asks for, as exact text for every surface.
 *
 * @example formatRequest(ask, { layout: 'line', limit: 240 }) // { text: 'Run it? │ Command: ls', complete: true, omitted: 0 }
 */
export function formatRequest(ask: Request, options: RequestOptions = {}): RequestText {
  const { layout = 'lines', limit = Number.POSITIVE_INFINITY, redact = (text) => text } = options
  const parts = listRequestTexts(ask).filter(({ name, text }) =>
    // A title that is the command itself is enough.
    options.withoutTitle ? name !== undefined : name !== 'Command' || text !== ask.title,
  )
  const shown = parts.map(({ name, text }) => ({ name, text: redact(text) }))
  const isRedacted = shown.some(({ text }, index) => text !== parts[index]!.text)
  const pieces = layout === 'line' ? formatLine(shown) : formatLines(shown)
  const cut = cutPieces(pieces, limit)
  return { ...cut, complete: cut.omitted === 0 && !isRedacted }
}

/** Cuts a marked text visibly. @example formatExact(title, { layout: 'line', limit: 80 }) */
export function formatExact(
  text: string,
  { layout = 'lines', limit = Number.POSITIVE_INFINITY }: Pick<RequestOptions, 'layout' | 'limit'> = {},
): RequestText {
  const cut = cutPieces(markText(text, layout).map(formatPiece), limit)
  return { ...cut, complete: cut.omitted === 0 }
}

interface NamedText {
  readonly name: string | undefined
  readonly text: string
}

/** Every text of a request with its name; the title has none. @example listRequestTexts(ask) */
export function listRequestTexts(ask: Request): NamedText[] {
  const { command, note, path, changes, content, plan, fields, body } = getRequestParts(ask)
  // A record of all parts, so that a new one does not compile until it is shown.
  const texts: Record<keyof RequestParts, readonly NamedText[]> = {
    command: nameText('Command', command),
    note: nameText('Description', note),
    path: nameText('File', path),
    changes: changes.flatMap(({ before, after }) => [
      { name: 'Remove', text: before },
      { name: 'Add', text: after },
    ]),
    content: nameText('Content', content),
    plan: nameText('Plan', plan),
    fields: fields.map(({ name, text }) => ({ name: name === '' ? 'Input' : `Input ${name}`, text })),
    body: nameText('Shown by the agent', body),
  }
  const tool = nameText('Tool', command === undefined ? ask.tool : undefined)
  return [{ name: undefined, text: ask.title }, ...tool, ...Object.values(texts).flat()]
}

function nameText(name: string, text: string | undefined): NamedText[] {
  return text === undefined ? [] : [{ name, text }]
}

/** Content is shown behind a bar, so that it cannot look like the name of another part. */
function formatLines(texts: readonly NamedText[]): string[] {
  return texts.flatMap(({ name, text }, index) => {
    const start = index === 0 ? [] : ['\n']
    // The title is one line, since surfaces add text after it.
    if (name === undefined) return [...start, ...markText(text, 'line').map(formatPiece)]
    const marked = markText(text).map(formatPiece)
    const label = markText(name, 'line').map(formatPiece)
    return [...start, ...label, ':\n│ ', ...marked.map((piece) => piece.replaceAll('\n', '\n│ '))]
  })
}

function formatLine(texts: readonly NamedText[]): string[] {
  return texts.flatMap(({ name, text }, index) => [
    ...(index === 0 ? [] : [' │ ']),
    ...(name === undefined ? [] : [...markText(name, 'line').map(formatPiece), ': ']),
    ...markText(text, 'line').map(formatPiece),
  ])
}

function cutPieces(pieces: readonly string[], limit: number): Pick<RequestText, 'text' | 'omitted'> {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (total <= limit) return { text: pieces.join(''), omitted: 0 }
  let text = ''
  for (const piece of pieces) {
    const space = limit - 1 - text.length
    // A mark is shown whole or not at all.
    text += piece.length <= space ? piece : /^⟨.*⟩$/u.test(piece) ? '' : cutAt(piece, space)
    if (piece.length > space) break
  }
  return { text: `${text}…`, omitted: total - text.length }
}

/** Not between the halves of a character. */
function cutAt(text: string, length: number): string {
  const cut = text.slice(0, Math.max(0, length))
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}
