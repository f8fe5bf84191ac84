/** Fields of unknown content. Each one is read with a type check. */
export type Fields = Readonly<Record<string, unknown>>

const none: Fields = {}

export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : none
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The first line, shortened. @example firstLine('a\nb') // 'a …' */
export function firstLine(value: string | undefined, most = 200): string | undefined {
  if (value === undefined) return undefined
  const start = value.slice(0, most * 4).trimStart()
  const end = start.indexOf('\n')
  const line = end === -1 ? start : start.slice(0, end).trimEnd()
  const cut = line.length > most ? line.slice(0, most) : line
  return cut.length < start.trimEnd().length || value.length > most * 4 ? `${cut} …` : cut
}

/** The last parts of a path. @example shortPath('/home/user/work/src/a/b.ts') // '…/a/b.ts' */
export function shortPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const line = firstLine(path, 400)!
  const parts = line.split(/[/\\]/).filter(Boolean)
  return parts.length <= 3 ? line : `…/${parts.slice(-2).join('/')}`
}

/** Formats any value as JSON, even if it cannot be serialized. */
export function pretty(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value, null, 2) ?? String(value)
  } catch {
    return String(value)
  }
}
