import type { AgentRecord } from './read-record.ts'

// What others send is looked at field by field: nothing about it is certain, and nothing in it may throw.

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

/** A count of something. @example asCount(stats['input_tokens']) */
export function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** Leaves out what is undefined. @example defined({ a: 1, b: undefined }) // { a: 1 } */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // Reading a large transcript does this for every record: a plain loop costs a fifth of going through entries.
  const kept: Partial<T> = {}
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key]
  return kept as { [K in keyof T]: Exclude<T[K], undefined> }
}
