/** Everything the command touches of the world, passed in so that tests can hold it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  out(text: string): void
  err(text: string): void
}
