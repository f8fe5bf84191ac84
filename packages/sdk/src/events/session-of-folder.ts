import { digestOf } from './digest.ts'
import { stringOf } from './fields.ts'

/** The session of payloads that name none: there is one for each folder. @example sessionOfFolder('kiro', '/home/me/work') */
export function sessionOfFolder(agent: string, cwd: unknown): string {
  return `${agent}-${digestOf(stringOf(cwd) ?? '')}`
}
