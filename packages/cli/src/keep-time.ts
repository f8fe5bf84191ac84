/** Days that months are kept for, as a setting says it. @example keepTime('90d') // 7_776_000_000 */
export function keepTime(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,5})\s*([dw])$/.exec(text.trim()) ?? []
  return amount === undefined ? undefined : Number(amount) * (unit === 'w' ? 7 : 1) * 86_400_000
}
