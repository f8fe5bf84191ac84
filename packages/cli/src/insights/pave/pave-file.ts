import { join } from 'node:path'
import type { Io } from '../../command/io.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { editUserFile, readUserFile } from '../../home/user-file.ts'

/** What was paved and when, to measure its effect. */
interface Paved {
  /** When the hook was installed, by agent. */
  readonly hooks: Readonly<Record<string, string>>
  /** The files with lessons. */
  readonly lessons: readonly PavedLessons[]
}

interface PavedLessons {
  readonly file: string
  readonly agent?: string
  readonly createdAt: string
  /** The failure patterns of the lessons. */
  readonly patterns: readonly string[]
}

const empty: Paved = { hooks: {}, lessons: [] }

function pavePath(io: Pick<Io, 'env' | 'home'>): string {
  return join(remoraHome(io), 'pave.json')
}

export async function readPaved(io: Pick<Io, 'env' | 'home'>): Promise<Paved> {
  return { ...empty, ...(await readUserFile<Paved>(pavePath(io), empty)) }
}

export function editPaved(io: Pick<Io, 'env' | 'home'>, edit: (paved: Paved) => Paved): Promise<Paved> {
  return editUserFile<Paved>(pavePath(io), empty, (paved) => edit({ ...empty, ...paved }))
}
