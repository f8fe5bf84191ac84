/** The nearest-rank quantile; `share` is between 0 and 1. @example quantile([1, 2, 3, 4], 0.5) // 2 */
export function quantile(list, share) {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
}
