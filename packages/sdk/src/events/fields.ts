import type { AgentRecord } from './read-record.ts'

// Foreign data is checked field by field: any field may have any type, and reading it must not throw.

/** @example asRecord(record['stats'])?.['duration_ms'] */
export function asRecord(value: unknown): AgentRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as AgentRecord)
    : undefined
}

/** @example asString(record['message']) */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns a non-negative integer. @example asCount(stats['input_tokens']) */
export function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/**
 * The entry of a table under a word of another program, which may be the name of a method that every object has.
 *
 * @example findOwn({ allow_once: 'allow' }, 'constructor') // undefined
 */
export function findOwn<T>(table: Readonly<Record<string, T>>, word: string | undefined): T | undefined {
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined
}

/** Omits undefined properties. @example defined({ a: 1, b: undefined }) // { a: 1 } */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // This runs for every record of a large transcript, and a plain loop takes a fifth of the time of Object.entries.
  const kept: Partial<T> = {}
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key]
  return kept as { [K in keyof T]: Exclude<T[K], undefined> }
}
