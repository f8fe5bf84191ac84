import { computeDigest } from './digest.ts'
import { asString } from './fields.ts'

/** The session of payloads that name none: there is one for each folder. @example createFolderSessionId('kiro', '/home/me/work') */
export function createFolderSessionId(agent: string, cwd: unknown): string {
  return `${agent}-${computeDigest(asString(cwd) ?? '')}`
}
