import { likeExpression } from './match-pattern.ts'

/** A link from a failing pattern to documentation, made by the user. */
export interface DocMapping {
  /** A pattern's name, a part of it, or one with `%`. */
  readonly pattern: string
  /** Only failures of this tool. */
  readonly tool?: string
  /** A file or an address. */
  readonly doc: string
  readonly excerpt?: string
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * The most specific mapping for a pattern: one for its whole name before one for a part of it.
 *
 * @example docFor(mappings, { name: 'Bash: missing-command jq', tool: 'Bash' })?.doc
 */
export function docFor(
  mappings: readonly DocMapping[],
  { name, tool }: { readonly name: string; readonly tool: string },
): DocMapping | undefined {
  const fitting = mappings.filter(
    (mapping) =>
      (mapping.tool === undefined || mapping.tool.toLowerCase() === tool.toLowerCase()) &&
      fits(mapping.pattern, name),
  )
  return fitting.sort((one, other) => other.pattern.length - one.pattern.length)[0]
}

function fits(pattern: string, name: string): boolean {
  if (pattern.includes('%')) return likeExpression(pattern).test(name)
  return name.toLowerCase().includes(pattern.toLowerCase())
}
