/**
 * Returns the previous value if both are equal, so that comparisons by identity see no change.
 *
 * @example keepSame({ a: [1] }, { a: [1] }) // the first of the two
 */
export function keepSame<T>(before: T | undefined, now: T): T {
  return before !== undefined && isEqual(before, now) ? before : now
}

/** Compares JSON values. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every(
      (name) =>
        Object.hasOwn(right, name) &&
        isEqual((left as Record<string, unknown>)[name], (right as Record<string, unknown>)[name]),
    )
  )
}
