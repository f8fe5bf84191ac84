/** Everything the command touches of the world, passed in so that tests can hold it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** How wide that terminal is. */
  readonly columns?: number | undefined
  /** Whether standard error is a terminal, on which a line can be written over. */
  readonly errorTerminal?: boolean
  out(text: string): void
  err(text: string): void
  /** Lets the command's own colours through; without it they are removed like any other control sequence. */
  readonly allowColours?: () => void
  /** Erases the line on standard error that is written over. */
  readonly eraseLine?: () => void
  /** Waits until the reader of standard output has caught up; nothing to wait for where it is left out. */
  drain?(): Promise<void> | undefined
  /** Standard input; without it there is none. */
  readonly stdin?: {
    readonly terminal: boolean
    read(): Promise<string>
    /** One line, typed by a person. */
    readLine?(): Promise<string>
  }
  /**
   * A signal that aborts when the command shall end: Ctrl+C, SIGTERM, a terminal or a reader that has gone. Whoever
   * asks for it ends the command by itself.
   */
  stopped?(): AbortSignal
  /** How this command is started again: the program and its first words. The installed one where it is left out. */
  readonly self?: readonly string[]
}
