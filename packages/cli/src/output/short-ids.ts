const shortest = 8

/**
 * Shortens ids to unique prefixes. Ids that start with a time have long common prefixes.
 *
 * @example const short = shortIds(ids); short('0190aaaa-1111-…') // '0190aaaa'
 */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const lengths = new Map<string, number>()
  const sorted = [...new Set(ids)].sort()
  for (const [index, id] of sorted.entries()) {
    const common = Math.max(shared(id, sorted[index - 1]), shared(id, sorted[index + 1]))
    // A trailing hyphen adds nothing.
    const length = Math.max(shortest, common + 1)
    lengths.set(id, id[length - 1] === '-' ? length + 1 : length)
  }
  return (id) => id.slice(0, lengths.get(id) ?? id.length)
}

function shared(left: string, right = ''): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}
