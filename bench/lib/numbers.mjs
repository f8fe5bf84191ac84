import { loadavg } from 'node:os'

/** The middle of a list of numbers. @example median([3, 1, 2]) // 2 */
export function median(list) {
  const sorted = list.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The nearest-rank quantile; `share` is between 0 and 1. @example quantile([1, 2, 3, 4], 0.5) // 2 */
export function quantile(list, share) {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
}

/** @example formatMs(1.234) // '   1.23 ms' */
export function formatMs(ms) {
  return `${ms.toFixed(ms < 100 ? 2 : 0).padStart(7)} ms`
}

/** @example formatLoad() // '1.5 in the last minute' */
export function formatLoad() {
  return `${loadavg()[0].toFixed(1)} in the last minute`
}
