import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RemoraError } from '@remora/protocol/plain'
import { createStartError } from './run-tmux.ts'

/** The first version that pauses a slow client and accepts variables for a new session. */
const minimum = [3, 2] as const

/** Throws if tmux is missing or too old. @example await checkTmux() */
export async function checkTmux(): Promise<void> {
  const { stdout } = await promisify(execFile)('tmux', ['-V']).catch((error: unknown) => {
    throw createStartError(error)
  })
  const version = stdout.trim().replace(/^tmux /, '')
  if (isRecent(version)) return
  throw new RemoraError('config', `tmux ${version} is too old for terminals`, {
    hint: `Install tmux ${minimum.join('.')} or later.`,
  })
}

/** @example isRecent('3.3a') // true */
export function isRecent(version: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  // A development build has no version number.
  if (major === undefined) return true
  return Number(major) > minimum[0] || (Number(major) === minimum[0] && Number(minor) >= minimum[1])
}
