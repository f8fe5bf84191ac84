import { rmSync } from 'node:fs'
import { agents } from '@remora/sdk'
import { type GuardRecord, type GuardUndone, undoGuard } from '@remora/sdk/hooks'
import type { Io } from '../command/io.ts'
import { getAgentPlace } from '../detection/agent-place.ts'
import { guardedPath } from '../home/remora-home.ts'
import { readUserFile } from '../home/user-file.ts'

/** The changes of `remora agents guard`, oldest first. */
export function readGuarded(io: Io): Promise<GuardRecord[]> {
  return readUserFile<GuardRecord[]>(guardedPath(io), [])
}

interface UndoneGuard {
  readonly agent: string
  readonly file: string
  readonly setting: string
  readonly result: GuardUndone | 'failed'
  readonly error?: string
}

/** Restores guarded settings, newest first. Failed ones stay recorded. */
export async function undoGuards(io: Io): Promise<UndoneGuard[]> {
  const records = await readGuarded(io)
  const done: UndoneGuard[] = []
  for (const record of records.toReversed()) {
    const about = { agent: record.agent, file: record.file, setting: record.setting.join('.') }
    try {
      done.push({ ...about, result: await undoGuard(record) })
    } catch (error) {
      done.push({ ...about, result: 'failed', error: (error as Error).message })
    }
  }
  if (done.every(({ result }) => result !== 'failed')) rmSync(guardedPath(io), { force: true })
  return done
}

/** Settings that stop an agent from deleting sessions but have no record, as set by earlier versions. */
export async function findUnrecordedGuards(io: Io): Promise<{ file: string; setting: string }[]> {
  const found: { file: string; setting: string }[] = []
  for (const agent of agents()) {
    const set = await agent.transcripts
      ?.findAppliedGuard?.(await getAgentPlace(agent, io))
      .catch(() => undefined)
    if (set) found.push({ file: set.file, setting: set.change })
  }
  return found
}
