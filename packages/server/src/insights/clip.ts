import { mask } from '@remora/ledger'

/**
 * Masks secrets and shortens a text. The text is masked before it is cut, since half a secret is not recognised.
 *
 * @example clip('key: sk-ant-api03-abcdefghijklmnop', 200) // 'key: [secret]'
 */
export function clip(text: string, limit: number): string {
  const masked = mask(text.slice(0, limit * 8))
  return masked.length > limit ? `${masked.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : masked
}
