/** The command's environment, passed in so that tests can replace it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** Width of that terminal. */
  readonly columns?: number | undefined
  /** Whether standard error is a terminal, for progress lines. */
  readonly errorTerminal?: boolean
  out(text: string): void
  err(text: string): void
  /** Allows the command's own colours. Without it they are removed like other control sequences. */
  readonly allowColours?: () => void
  /** Erases the progress line on standard error. */
  readonly eraseLine?: () => void
  /** Clears the terminal of standard output, for a list that is drawn again. */
  readonly clearScreen?: () => void
  /** Waits until the reader of standard output has caught up; undefined if it has. */
  drain?(): Promise<void> | undefined
  /** Standard input, if any. */
  readonly stdin?: {
    readonly terminal: boolean
    read(): Promise<string>
    /** Reads one line that the user types. */
    readLine?(): Promise<string>
  }
  /**
   * Aborts on Ctrl+C, SIGTERM, or when the terminal or the reader is gone. A caller must then end the command itself.
   */
  stopped?(): AbortSignal
  /** The command line that starts this program (default: the installed one). */
  readonly self?: readonly string[]
}
