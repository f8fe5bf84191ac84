import { RemoraError } from '@remora/protocol/plain'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

interface Edit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

/** JSON with comments whose entries can be edited without changing the rest of the text. */
export class JsoncText {
  readonly root: Node | undefined
  readonly #mark: string
  readonly #text: string
  readonly #eol: string
  readonly #unit: string

  constructor(text: string) {
    this.#mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    this.#text = text.slice(this.#mark.length)
    this.#eol = /\r?\n/.exec(this.#text)?.[0] ?? '\n'
    const errors: ParseError[] = []
    this.root = parseTree(this.#text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    if (first) throw malformed(this.#text, first)
    const inner = this.root && firstChild(this.root)
    this.#unit = (inner && this.#getIndent(inner)) || '  '
  }

  withNewRoot(value: unknown): string {
    const before = this.#text === '' || /[\r\n]$/.test(this.#text) ? this.#text : this.#text + this.#eol
    return this.#mark + before + this.#format(value, '') + this.#eol
  }

  replaced(node: Node, value: unknown): string {
    const old = this.#text.slice(node.offset, node.offset + node.length)
    if (sameJson(old, value)) return this.#mark + this.#text
    const line = this.#lineIndent(node.offset)
    const spread = this.#isSpread(node.parent) || !node.parent
    const text = spread ? this.#format(value, line) : this.#inline(value, this.#isTight(node.parent))
    return this.#apply([{ offset: node.offset, length: node.length, text }])
  }

  /** Inserts a property or element after the last one of a node. */
  inserted(parent: Node, step: string | number, value: unknown): string {
    const last = parent.children?.at(-1)
    if (!last) return this.#apply([this.#first(parent, step, value)])
    const end = last.offset + last.length
    const comma = this.#commaAfter(end)
    // After a comment on the same line, because it belongs to the entry before it.
    const place = this.#endOfLine(comma === undefined ? end : comma + 1, parent)
    const spread = this.#isSpread(parent) || endsInLineComment(this.#text.slice(end, place))
    const tight = this.#isTight(parent)
    const indent = this.#getIndent(last) ?? this.#lineIndent(parent.offset) + this.#unit
    const entry = this.#entry(step, value, spread ? indent : undefined, tight)
    const gap = spread ? this.#eol + indent : tight ? '' : ' '
    if (comma !== undefined) return this.#apply([{ offset: place, length: 0, text: `${gap}${entry},` }])
    return this.#apply([
      { offset: end, length: 0, text: ',' },
      { offset: place, length: 0, text: gap + entry },
    ])
  }

  removed(node: Node): string {
    // The node of a property holds its name as well.
    const item = node.parent?.type === 'property' ? node.parent : node
    const list = item.parent!
    const others = list.children!.filter((child) => child !== item)
    const end = item.offset + item.length
    const comma = this.#commaAfter(end)
    const from = item.offset - this.#spaceBefore(item, (comma ?? end - 1) + 1)
    if (others.length === 0) {
      const inside = [list.offset + 1, list.offset + list.length - 1] as const
      const rest =
        this.#text.slice(inside[0], item.offset) + this.#text.slice((comma ?? end - 1) + 1, inside[1])
      if (rest.trim() === '')
        return this.#apply([{ offset: inside[0], length: inside[1] - inside[0], text: '' }])
    }
    if (comma !== undefined) return this.#apply([{ offset: from, length: comma + 1 - from, text: '' }])
    const edits = [{ offset: from, length: end - from, text: '' }]
    const before = others.at(-1)
    if (before) {
      const offset = this.#commaAfter(before.offset + before.length)!
      edits.unshift({ offset, length: 1, text: '' })
    }
    return this.#apply(edits)
  }

  /** The white space to remove with an entry: also its line break, unless the next text would become part of a comment. */
  #spaceBefore(item: Node, end: number): number {
    const siblings = item.parent!.children!
    const previous = siblings[siblings.indexOf(item) - 1]
    const gap = this.#text.slice(
      previous ? previous.offset + previous.length : item.parent!.offset + 1,
      item.offset,
    )
    const line = /(?:\r?\n)?[ \t]*$/.exec(gap)![0]
    const free = /^[ \t]*(?:[\r\n]|\/\/|$)/.test(this.#text.slice(end))
    if (free || !endsInLineComment(gap.slice(0, gap.length - line.length))) return line.length
    return line.replace(/^\r?\n/, '').length
  }

  /** Inserts the first entry of a node that is empty or has only comments. */
  #first(parent: Node, step: string | number, value: unknown): Edit {
    const offset = parent.offset + 1
    const inside = this.#text.slice(offset, parent.offset + parent.length - 1)
    const outer = this.#lineIndent(parent.offset)
    // An object on its own line becomes multi-line; an inline object stays on its line.
    if (!inside.includes('\n') && parent.parent && !this.#isSpread(parent.parent)) {
      const tight = this.#isTight(parent.parent)
      const entry = this.#entry(step, value, undefined, tight)
      const space = tight || inside !== '' ? '' : ' '
      return { offset: offset + inside.length, length: 0, text: space + entry + space }
    }
    const indent = outer + this.#unit
    const entry = this.#eol + indent + this.#entry(step, value, indent, false)
    if (inside.trim() === '') return { offset, length: inside.length, text: entry + this.#eol + outer }
    const place = this.#endOfComments(offset, parent)
    const closing = /[\r\n]\s*$/.test(inside) ? '' : this.#eol + outer
    return { offset: place, length: 0, text: entry + closing }
  }

  #entry(step: string | number, value: unknown, indent: string | undefined, tight: boolean): string {
    const text = indent === undefined ? this.#inline(value, tight) : this.#format(value, indent)
    return typeof step === 'number' ? text : `${JSON.stringify(step)}:${tight ? '' : ' '}${text}`
  }

  /** Formats a value on several lines, all but the first indented. */
  #format(value: unknown, indent: string): string {
    return JSON.stringify(value, undefined, this.#unit).replaceAll('\n', this.#eol + indent)
  }

  #inline(value: unknown, tight: boolean): string {
    return tight ? JSON.stringify(value) : onOneLine(value)
  }

  /** Whether the entries of a node are on separate lines. */
  #isSpread(node: Node | undefined): boolean {
    const list = node?.type === 'property' ? node.parent : node
    const child = list && firstChild(list)
    if (!child) return !!list && this.#text.slice(list.offset, list.offset + list.length).includes('\n')
    return this.#getIndent(child) !== undefined
  }

  /** Whether names and values are not separated by spaces, as in `{"a":1}`. */
  #isTight(node: Node | undefined): boolean {
    const list = node?.type === 'property' ? node.parent : node
    const child = list && firstChild(list)
    if (child?.type !== 'property' || child.colonOffset === undefined) return !/\s/.test(this.#text.trim())
    return child.children![1]!.offset === child.colonOffset + 1
  }

  /** The indentation of a node, if it is the first on its line. */
  #getIndent(node: Node): string | undefined {
    const line = this.#text.slice(0, node.offset).split('\n')
    const before = line.at(-1)!
    return line.length > 1 && /^[ \t]*$/.test(before) ? before : undefined
  }

  #lineIndent(offset: number): string {
    const line = this.#text.slice(0, offset).split('\n').at(-1)!
    return /^[ \t]*/.exec(line)![0]
  }

  /** The offset of the comma after an entry, if there is one. */
  #commaAfter(offset: number): number | undefined {
    let at = offset
    for (;;) {
      const skipped = skipSpaceAndComment(this.#text, at)
      if (skipped === at) return this.#text[at] === ',' ? at : undefined
      at = skipped
    }
  }

  /** The offset after the comments on the same line within a node. */
  #endOfLine(offset: number, parent: Node): number {
    let at = offset
    const limit = parent.offset + parent.length - 1
    for (;;) {
      const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)/.exec(
        this.#text.slice(at, limit),
      )
      if (!comment) return at
      at += comment[0].length
    }
  }

  #endOfComments(offset: number, parent: Node): number {
    const limit = parent.offset + parent.length - 1
    let at = offset
    for (let next = at; next < limit;) {
      const skipped = skipSpaceAndComment(this.#text, next)
      if (skipped === next) break
      next = skipped
      at = next
    }
    return offset + this.#text.slice(offset, at).trimEnd().length
  }

  #apply(edits: readonly Edit[]): string {
    let result = ''
    let at = 0
    for (const { offset, length, text } of edits) {
      result += this.#text.slice(at, offset) + text
      at = offset + length
    }
    return this.#mark + result + this.#text.slice(at)
  }
}

function firstChild(node: Node): Node | undefined {
  return node.children?.[0]
}

function skipSpaceAndComment(text: string, at: number): number {
  const found = /(?:\s+|\/\/[^\r\n]*|\/\*[^]*?\*\/)/y
  found.lastIndex = at
  return at + (found.exec(text)?.[0].length ?? 0)
}

/** Whether text inserted after this gap would become part of a line comment. */
function endsInLineComment(gap: string): boolean {
  const last = [...gap.matchAll(/\/\*[^]*?\*\/|\/\/[^\r\n]*/g)].at(-1)
  return !!last?.[0].startsWith('//') && last.index + last[0].length === gap.length
}

/** Formats JSON on one line with spaces after commas and colons and inside braces. */
function onOneLine(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value)) as unknown
  if (Array.isArray(plain)) return `[${plain.map(onOneLine).join(', ')}]`
  if (typeof plain !== 'object' || plain === null) return JSON.stringify(plain)
  const entries = Object.entries(plain).map(([key, each]) => `${JSON.stringify(key)}: ${onOneLine(each)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}

function malformed(text: string, error: ParseError): RemoraError {
  return new RemoraError('config', `It is not JSON: ${describeJsonError(text, error)}`, {
    hint: 'Correct it by hand; nothing was changed.',
  })
}

/** Messages by the parser's name of the error. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word is not valid JSON; names and strings need double quotes',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'the name of a property, in double quotes, is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing after the name of a property',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace } is missing',
  CloseBracketExpected: 'a closing bracket ] is missing',
  EndOfFileExpected: 'there is text after the end of the value',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'an escape \\u has no four digits',
  InvalidEscapeCharacter: 'a backslash is before a character that needs none',
  InvalidCharacter: 'a character is not allowed',
}

/**
 * Describes a JSON error and its line without quoting the file, which may contain secrets.
 *
 * @example describeJsonError('{ a: 1 }', errors[0]) // 'line 1: the name of a property, in double quotes, is missing'
 */
export function describeJsonError(text: string, { error, offset }: ParseError): string {
  const line = text.slice(0, offset).split('\n').length
  return `line ${line}: ${messages[printParseErrorCode(error)] ?? 'it cannot be understood'}`
}
