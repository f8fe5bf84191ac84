import type { Answer } from '@remora/protocol/plain'

/** Who decided, as the audit log has it. @example answeredBy(answer) // "Ann, Ann's phone (d-7f3k9q)" */
export function answeredBy({ by, person, device }: Answer): string {
  const who = person ?? by
  return device === undefined ? who : `${who}, ${device}`
}
