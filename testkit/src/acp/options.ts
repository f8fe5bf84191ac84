/** What an agent may not be able to do. The suite then wants that it really is so. */
export type AcpSkill =
  /** Tells what the model thinks. */
  | 'thoughts'
  /** Tells tokens of a turn. */
  | 'usage'
  /** Offers to allow a kind of call for ever. */
  | 'always'
  /** Takes an image in a prompt. */
  | 'image'
  /** Lists its modes and changes them in a session. */
  | 'modes'
  /** Lists its models. */
  | 'models'
  /** Goes on with an earlier session. */
  | 'load'
  /** Goes on in a copy of an earlier session. */
  | 'fork'
  /** Goes on with its turn after a call was refused. */
  | 'go on after a refusal'
  /** Ends the commands of a turn that is cancelled. */
  | 'end commands'

export interface AcpContractOptions {
  readonly version: string
  /** The package of the wrapper, for an agent that needs one. */
  readonly wrapper?: string
  /** The user's settings, below the home; no byte of them may change. */
  readonly settings: string
  readonly cannot?: readonly AcpSkill[]
  /** The way to sign in that must be among those it tells; none where it tells none. */
  readonly authMethod?: string
  /** The mode in which it runs commands here, where its default one cannot. */
  readonly commandMode?: string
  /** It takes no tools in a folder that nobody has trusted, and does not say so. */
  readonly distrusts?: boolean
  /** It writes files through the program that offers to. */
  readonly writesThroughUs?: boolean
  /** It retries a rate limit until the turn is cancelled. */
  readonly keepsRetrying?: boolean
  /** What it offers to allow for ever: a kind of command unless given, all edits, or edits of one file. */
  readonly always?: 'command' | 'edit' | 'file'
  /** How many prompts are put to one session: fifty, or fewer where each takes its time. */
  readonly prompts?: number
  /** Only what every version must do: for those that take long to start. */
  readonly core?: boolean
}
