import { mask } from '@remora/ledger'

/**
 * A text that may leave the machine: without secrets of known shape, and not longer than a person reads. It is masked
 * before it is cut, since half a secret has no shape.
 *
 * @example clip('key: sk-ant-api03-abcdefghijklmnop', 200) // 'key: [secret]'
 */
export function clip(text: string, most: number): string {
  const masked = mask(text.slice(0, most * 8))
  return masked.length > most ? `${masked.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : masked
}
