import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RemoraError } from '@remora/protocol/plain'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'

/** Large enough to detect a full disk. */
const probeBytes = 4096

/**
 * Creates the folder of all state and writes to it once, so that a server that could not work fails with the reason.
 *
 * @example await prepareStateFolder(io)
 */
export async function prepareStateFolder(io: Pick<Io, 'env' | 'home'>): Promise<void> {
  const folder = remoraHome(io)
  const probe = join(folder, `.write-test-${process.pid}`)
  try {
    createFolder(folder)
    try {
      writeFileSync(probe, Buffer.alloc(probeBytes), { mode: 0o600 })
    } finally {
      rmSync(probe, { force: true })
    }
  } catch (error) {
    throw await describeStateError(error, folder)
  }
}

/** Level by level: a recursive mkdir of Node reports ENOENT for a read-only disk, and never returns below /proc. */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const parent = dirname(folder)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    if (getCode(error) !== 'ENOENT' || parent === folder || statSync(parent, { throwIfNoEntry: false }))
      throw error
    createFolder(parent)
    mkdirSync(folder, { mode: 0o700 })
  }
}

/** What failed, why, and one action that fixes it. Other errors stay as they are. */
export async function describeStateError(error: unknown, folder: string): Promise<unknown> {
  const code = getCode(error) ?? ''
  const known = problems[code]
  if (!known) return error
  const { why, hint, errorCode } = known
  return fail(errorCode, `Remora cannot write to ${folder}: ${why}`, hint)
}

const otherFolder = 'Set REMORA_HOME to a folder that you can write to.'
const notFolder = {
  errorCode: 'config',
  why: 'it is a file',
  hint: 'Move the file, or set REMORA_HOME to a folder.',
} as const
const denied = {
  errorCode: 'config',
  why: 'permission denied',
  hint: `Take ownership (sudo chown -R "$USER" <folder>), or set REMORA_HOME to another folder.`,
} as const
const full = {
  errorCode: 'unknown',
  why: 'no space left on disk',
  hint: 'Free some space and retry.',
} as const

const problems: Readonly<
  Record<string, { readonly errorCode: RemoraError['code']; readonly why: string; readonly hint: string }>
> = {
  EROFS: { errorCode: 'config', why: 'the file system is read-only', hint: otherFolder },
  ENOENT: { errorCode: 'config', why: 'the folder cannot be created there', hint: otherFolder },
  EACCES: denied,
  EPERM: denied,
  EEXIST: notFolder,
  ENOTDIR: notFolder,
  ENOSPC: full,
  EDQUOT: { ...full, why: 'disk quota exceeded' },
}

function getCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
