import type { Ask } from '@remora/protocol/plain'

// The most telling first.
const names = ['command', 'file_path', 'notebook_path', 'path', 'url', 'query', 'pattern'] as const

/** The tool that an agent asks for, and what it would do. @example wantedOf(ask) // 'Bash: npm test' */
export function wantedOf({ tool, input }: Ask): string | undefined {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const what = names
    .map((name) => fields[name])
    .find((value): value is string => typeof value === 'string' && value !== '')
  if (tool === undefined) return what
  return what === undefined ? tool : `${tool}: ${what}`
}
