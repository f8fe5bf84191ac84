/** A word of a shell line as it is written, quotes included, and the number of the command that it belongs to. */
export interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly command: number
}

/** A command in a shell line: where it stands, where its name ends, and the words behind that. */
export interface ShellCommand {
  readonly start: number
  readonly nameEnd: number
  readonly end: number
  readonly rest: readonly Word[]
}

/** A text to be put into the place of another. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}
