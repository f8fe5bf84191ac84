const prefix = 'call:'

/**
 * The entity of a tool call from a channel that has no id for it (Gemini's hooks): its name and canonical input.
 * The n-th such call of a turn is the n-th call of that name and input that other channels report.
 *
 * @example callEntity('write_file', { file_path: 'a' })
 */
export function callEntity(nativeName: string, nativeInput: unknown): string {
  return prefix + nativeName + canonical(nativeInput)
}

/** Whether an entity was made by `callEntity`. @example isCallEntity(event.entity) */
export function isCallEntity(entity: string): boolean {
  return entity.startsWith(prefix)
}

/** JSON with sorted keys, which is equal for equal values. @example canonical({ b: 1, a: 2 }) // '{"a":2,"b":1}' */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonical(entry ?? null)).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`)
    return `{${fields.join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
