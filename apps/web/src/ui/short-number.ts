/** Abbreviates a count. @example formatShortNumber(12_345) // '12k' */
export function formatShortNumber(count: number): string {
  if (!Number.isFinite(count)) return ''
  for (const [size, unit] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (count < size * 0.9995) continue
    const part = count / size
    return `${part < 9.95 ? part.toFixed(1).replace(/\.0$/, '') : Math.round(part)}${unit}`
  }
  return String(Math.round(count))
}
