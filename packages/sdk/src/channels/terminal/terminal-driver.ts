import type { Captured } from './capture.ts'
import type { Key } from './terminal.ts'

/**
 * How a `Pane` reaches a terminal: through a control client of tmux, or through the socket of a PTY host. It is one
 * connection, which the pane replaces when it is lost.
 */
export interface TerminalDriver {
  /** Whether it accepts no more requests. */
  readonly isOver: boolean
  /** Resolves when the connection is lost or closed. */
  readonly ended: Promise<unknown>
  /**
   * Takes a consistent snapshot, in order with the output: `seen` is called at that position of it. Undefined if the
   * terminal does not exist. `resumes` requests output again that was dropped.
   */
  capture(options?: {
    readonly resumes?: boolean
    readonly seen?: (captured: Captured) => void
  }): Promise<Captured | undefined>
  press(key: Key): Promise<void>
  /**
   * Presses a key if the screen shows a text for each of these patterns in the same moment, so that the agent draws
   * nothing between the check and the key. Returns whether it was pressed.
   */
  pressIf(key: Key, shown: readonly string[]): Promise<boolean>
  /** Pastes a text into the input line. */
  paste(text: string): Promise<void>
  /** Blocks the keys of other clients for a moment. */
  hold(): Promise<HeldKeys>
  /** Only for terminals that Remora started. */
  resize(columns: number, rows: number): Promise<void>
  /** Starts the agent again with its command, after it has ended. */
  restart(): Promise<void>
  /** Makes sure that the exit status of the agent is noticed. */
  checkExit(): void
  /** Removes the terminal that Remora started, also if the connection is lost. */
  remove(): Promise<void>
  /** Stops reading output; what arrives meanwhile may be dropped. */
  pause(): void
  resume(): void
  /** Disconnects; the agent keeps running. */
  close(): Promise<void>
  /** Disconnects at once. */
  kill(): void
}

/** What a driver reports to its pane. */
export interface DriverEvents {
  output(bytes: Buffer): void
  /** We were too slow, and output was dropped. */
  dropped(): void
  /** The size may have changed. */
  resized(): void
  /** Something else changed that a capture shows, such as the end of the agent. */
  changed(): void
}

/** A keyboard that accepts no keys but ours. */
export interface HeldKeys {
  /** Presses a key if the screen shows a text for each pattern. Returns whether it was pressed. */
  press(key: Key, shown: readonly string[]): Promise<boolean>
  release(): Promise<void>
}
