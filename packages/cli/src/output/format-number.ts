const steps = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** Formats a number in at most five characters. @example shortNumber(12_345) // '12.3k' */
export function shortNumber(value: number): string {
  const [size, unit] = steps.find(([least]) => value >= least) ?? [1, '']
  const amount = value / size
  return `${unit === '' || amount >= 100 ? Math.floor(amount) : (Math.floor(amount * 10) / 10).toFixed(1)}${unit}`
}

/** @example wholeNumber(12_345) // '12,345' */
export function wholeNumber(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** @example byteSize(1_500_000) // '1.5 MB' */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [size, unit] = (
    [
      [1e9, 'GB'],
      [1e6, 'MB'],
      [1e3, 'kB'],
    ] as const
  ).find(([least]) => bytes >= least)!
  return `${(bytes / size).toFixed(1)} ${unit}`
}

/** @example plural(2, 'file') // '2 files' */
export function plural(count: number, noun: string): string {
  return `${wholeNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}
