import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BrokenAgent } from '@remora/sdk/plugins'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'
import { setAddedNames } from './agent-names.ts'

let broken: readonly BrokenAgent[] = []
let isLoaded = false

/** Loads the agents that the user added, before the command line is parsed. Without any, the SDK is not loaded. */
export async function loadAdded(io: Pick<Io, 'env' | 'home' | 'err'>): Promise<void> {
  if (!isLoaded && !existsSync(join(remoraHome(io), 'agents.json'))) return
  isLoaded = true
  const { loadAddedAgents, readAddedAgents } = await import('@remora/sdk/plugins')
  try {
    broken = await loadAddedAgents(remoraHome(io))
    setAddedNames(await readAddedAgents(remoraHome(io)))
  } catch (error) {
    // Commands that need none of them still work.
    const { message, hint } = error as Error & { hint?: string }
    io.err(`remora: ${message}\n${hint ? `  ${hint}\n` : ''}`)
  }
}

/** The added agents that could not be loaded. */
export function listBrokenAgents(): readonly BrokenAgent[] {
  return broken
}
