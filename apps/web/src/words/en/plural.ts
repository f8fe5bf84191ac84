/** @example plural(2, 'file', 'files') // '2 files' */
export function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
