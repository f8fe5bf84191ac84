import { RemoraError } from '@remora/protocol/plain'
import { parse } from 'smol-toml'
import { asRecord } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** A key and its value at the top of a TOML file, before its first table. */
export interface TomlStatement {
  readonly key: string
  /** Where the key begins, and where the value ends. */
  readonly start: number
  readonly end: number
}

/** Throws `config` for malformed TOML, with a message that shows nothing of the content. */
export function parseToml(text: string): AgentRecord {
  try {
    return asRecord(parse(text.replace(/^\uFEFF/, ''))) ?? {}
  } catch (error) {
    const { message, line } = error as Error & { line?: number }
    // The other lines of the message are an excerpt, which may contain an API key.
    throw new RemoraError('config', `It is not TOML: line ${line ?? '?'}: ${message.split('\n')[0]}`, {
      hint: 'Correct it by hand; nothing was changed.',
      cause: error,
    })
  }
}

/**
 * Finds the statements before the first table of a valid TOML text. Values may span lines and contain text that looks like
 * a table or a comment.
 *
 * @example findTopStatements('a = 1\nb = [\n  2, # two\n]\n[c]\nd = 3').map(({ key }) => key) // ['a', 'b']
 */
export function findTopStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  for (;;) {
    at += matchAt(/(?:\s+|#[^\n]*)*/y, text, at).length
    if (at >= text.length || text[at] === '[') return statements
    const start = at
    at += matchAt(keyAndEquals, text, at).length
    const key = text.slice(start, at).replace(/\s*=\s*$/, '')
    const end = findValueEnd(text, at)
    statements.push({ key: key.replace(/^(["'])(.*)\1$/, '$2'), start, end })
    at = Math.max(end, start + 1)
  }
}

const string = /"""(?:\\[^]|[^\\])*?"{3,5}|'''[^]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/.source
const keyAndEquals = new RegExp(String.raw`(?:${string}|[^="'\n])*=[ \t]*`, 'y')
const piece = new RegExp(String.raw`${string}|#[^\n]*|[^]`, 'y')

/** A value ends with its line, unless a bracket is open. */
function findValueEnd(text: string, from: number): number {
  let depth = 0
  let end = from
  for (let at = from; at < text.length;) {
    const found = matchAt(piece, text, at)
    const comment = found.startsWith('#')
    if (depth === 0 && (comment || found === '\n')) return end
    if (found === '[' || found === '{') depth++
    if (found === ']' || found === '}') depth--
    at += found.length
    if (!comment && found.trim() !== '') end = at
  }
  return end
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
