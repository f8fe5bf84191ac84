// Agents in terminals only.
import { findTerminals as find } from './channels/terminal/find-terminals.ts'
import type { FindOptions } from './channels/terminal/find-terminals.ts'
import type { FoundTerminal } from './channels/terminal/terminal.ts'
import { agents } from './agents/registry.ts'

export { attachTerminal, ownPane } from './channels/terminal/attach-terminal.ts'
export { endOrphans } from './channels/terminal/orphans.ts'
export { askDigest } from './channels/terminal/reading.ts'
export { ptyPane } from './channels/terminal/pty-driver.ts'
export { checkPty } from './pty/start-host.ts'
export { attachWindow } from './pty/attach-window.ts'
export type { WindowEnd, WindowOptions } from './pty/attach-window.ts'
export { checkTmux } from './channels/terminal/run-tmux.ts'
export { startTerminal } from './channels/terminal/start-terminal.ts'
export type * from './channels/terminal/terminal.ts'
export { EventMaker } from './events/event-maker.ts'
export type { EventFields } from './events/event-maker.ts'

/**
 * Finds agents that the user started in tmux: those of all registered agents, or of the given ones.
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
