/**
 * The replies of the model, independent of the wire.
 *
 * `prompt` and `mode` are the recorder's input to the CLI. `turns[i]` has the model's replies in the i-th turn, which
 * starts with a user's prompt; the k-th model call of the turn gets the k-th reply. The last reply of a turn and the last
 * turn repeat if the CLI sends more requests.
 *
 * @example
 * const scenario: Scenario = { name: 'hi', title: 'A greeting', prompt: 'hi', turns: [[{ text: 'Hello' }]] }
 */
export interface Scenario {
  name: string
  title: string
  prompt: string
  mode?: Mode
  turns: Reply[][]
}

/** Claude's names of the permission modes. @example const mode: Mode = 'acceptEdits' */
export type Mode = 'default' | 'acceptEdits' | 'plan' | 'auto' | 'bypassPermissions'

/** One answer of the model to one call. @example const reply: Reply = { text: ['Hel', 'lo'], delayMs: 20 } */
export interface Reply {
  thoughts?: Thought[]
  /** A list is sent chunk by chunk. */
  text?: string | string[]
  tools?: ToolCall[]
  usage?: Usage
  /** The delay before each chunk. */
  delayMs?: number
  fault?: Fault
  stop?: 'safety' | 'length'
}

/** One thought. @example const thought: Thought = { subject: 'Planning', description: 'First the file.' } */
export interface Thought {
  subject: string
  description: string
}

/** Token counts; omitted ones are derived from the length of the text. @example const usage: Usage = { input: 10, output: 2 } */
export interface Usage {
  input?: number
  output?: number
  cached?: number
  thought?: number
}

/**
 * A tool by Claude's name and input shape, mapped to the tool that the CLI declares; or, with `native`, exactly as written.
 *
 * @example
 * const call: ToolCall = { name: 'Write', input: { file_path: 'note.txt', content: 'hello\n' } }
 */
export type ToolCall =
  | { name: string; input: Record<string, unknown> }
  | { native: string; input: Record<string, unknown> }

/** A fault of the server; with `times` only the first attempts fail. @example const fault: Fault = { kind: 'status', status: 503, times: 1 } */
export type Fault =
  | { kind: 'status'; status: 400 | 401 | 403 | 404 | 429 | 500 | 503; quota?: boolean; times?: number }
  | { kind: 'cut'; afterChunks?: number; times?: number }
  | { kind: 'silence'; times?: number }
  | { kind: 'empty'; times?: number }
