import { PtyDriver, ptyPane } from './pty-driver.ts'
import type { DriverEvents, TerminalDriver } from './terminal-driver.ts'
import type { PaneAddress } from './terminal.ts'
import { TmuxDriver } from './tmux-driver.ts'

/** Connects to a terminal. Rejects with `not_found` if it does not exist. */
export function connectDriver(address: PaneAddress, events: DriverEvents): Promise<TerminalDriver> {
  const driver = address.pane === ptyPane ? PtyDriver : TmuxDriver
  return driver.connect(address, events)
}
