type Part = readonly [number, number]

const longest = 2_000

/**
 * What differs between two lines that begin and end alike; undefined if they have too little in common to be the same
 * line, since then to mark nearly all of it says nothing.
 *
 * @example changedPart('let a = 1', 'let a = 2') // [[8, 9], [8, 9]]
 */
export function changedPart(left: string, right: string): readonly [Part, Part] | undefined {
  const shorter = Math.min(left.length, right.length)
  if (left === right || shorter === 0 || Math.max(left.length, right.length) > longest) return undefined
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++
  // Not between the two halves of a sign.
  if (isHigh(left[start - 1])) start--
  if (isLow(left[left.length - end])) end--
  const same = left.slice(0, start).trim().length + left.slice(left.length - end).trim().length
  if (same < shorter / 4) return undefined
  return [
    [start, left.length - end],
    [start, right.length - end],
  ]
}

function isHigh(sign: string | undefined): boolean {
  return sign !== undefined && /[\uD800-\uDBFF]/.test(sign)
}

function isLow(sign: string | undefined): boolean {
  return sign !== undefined && /[\uDC00-\uDFFF]/.test(sign)
}
