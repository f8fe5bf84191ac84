import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Alias, compileRules, paveFiles, paveProgram } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { paveAgents } from './native-names.ts'

type Where = Pick<Io, 'env' | 'home'>

/** The path of the installed pave hook. @example programPath(io) // '/home/me/.remora/hooks/remora-pave.mjs' */
export function programPath(io: Where): string {
  return join(remoraHome(io), 'hooks', paveFiles.program)
}

/** The command line that starts it. */
export function programCommand(io: Where, agent: string): string[] {
  return [process.execPath, programPath(io), agent]
}

/** Writes the hook and its rules atomically, because a CLI may start it at any time. */
export async function writeProgram(io: Where, aliases: readonly Alias[]): Promise<void> {
  await mkdir(join(remoraHome(io), 'hooks'), { recursive: true, mode: 0o700 })
  await inPlace(programPath(io), async (draft) => {
    await copyFile(paveProgram(), draft)
    await chmod(draft, 0o600)
  })
  await writeRules(io, aliases)
}

/** Updates the hook and its rules if it is installed. Returns whether it is. An older hook cannot read newer rules. */
export async function updateRules(io: Where, aliases: readonly Alias[]): Promise<boolean> {
  if (!existsSync(programPath(io))) return false
  await writeProgram(io, aliases)
  return true
}

export async function removeProgram(io: Where): Promise<void> {
  for (const name of Object.values(paveFiles)) await rm(join(remoraHome(io), 'hooks', name), { force: true })
}

async function writeRules(io: Where, aliases: readonly Alias[]): Promise<void> {
  const text = `${JSON.stringify(compileRules(aliases, paveAgents))}\n`
  await inPlace(join(remoraHome(io), 'hooks', paveFiles.rules), (draft) =>
    writeFile(draft, text, { mode: 0o600 }),
  )
}

async function inPlace(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}`
  try {
    await write(draft)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
