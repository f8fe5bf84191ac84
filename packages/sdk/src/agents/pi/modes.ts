import type { AgentMode, StartMode } from '../../contract/agent.ts'
import { listTools } from '../../contract/tools.ts'
import { tools } from './tools.ts'

/** A mode: the tools that the model has. pi never asks for approval, so that it has no mode that asks. */
export interface PiMode extends AgentMode {
  readonly args: readonly string[]
}

/**
 * Without extensions, since one could replace a tool by its own of the same name. Offline, since pi otherwise installs
 * the packages of a project with a command that the project chooses.
 */
function restrictTo(...kinds: readonly string[]): string[] {
  const names = listTools(tools, ({ kind }) => kinds.includes(kind))
  return ['--offline', '--no-extensions', '--tools', names.join()]
}

export const modes: readonly PiMode[] = [
  { id: 'bypassPermissions', label: 'All tools, never asks', like: 'bypass', args: [] },
  {
    id: 'acceptEdits',
    label: 'Edit files, no commands',
    like: 'acceptEdits',
    args: restrictTo('read', 'search', 'edit'),
  },
  { id: 'plan', label: 'Read only', like: 'plan', args: restrictTo('read', 'search') },
]

/** Without a wanted mode, pi starts with all its tools and runs every call. */
export async function startMode(_place: unknown, wanted?: string): Promise<StartMode> {
  return wanted === undefined ? { mode: 'bypassPermissions' } : { mode: wanted, request: wanted }
}
