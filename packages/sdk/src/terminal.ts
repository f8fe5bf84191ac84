// Agents on terminals and nothing else.
import { findTerminals as find } from './channels/terminal/find-terminals.ts'
import type { FindOptions } from './channels/terminal/find-terminals.ts'
import type { FoundTerminal } from './channels/terminal/terminal.ts'
import { agents } from './agents/registry.ts'

export { attachTerminal, ownPane } from './channels/terminal/attach-terminal.ts'
export { endOrphans } from './channels/terminal/orphans.ts'
export { askDigest } from './channels/terminal/reading.ts'
export { checkTmux } from './channels/terminal/tmux-version.ts'
export { startTerminal } from './channels/terminal/start-terminal.ts'
export type * from './channels/terminal/terminal.ts'
export { EventMaker } from './events/event-maker.ts'
export type { EventFields } from './events/event-maker.ts'

/**
 * Finds agents that somebody started by hand in a tmux of his own: all that are known, or those that are named.
 *
 * @example
 * const [found] = await findTerminals({ env: process.env })
 * const terminal = await attachTerminal(found.agent, found.address)
 */
export function findTerminals(
  options: Omit<FindOptions, 'agents'> & Partial<Pick<FindOptions, 'agents'>>,
): Promise<FoundTerminal[]> {
  return find({ agents: agents(), ...options })
}
