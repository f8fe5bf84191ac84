import type { Ask, AskOption, PromptKind } from '@remora/protocol/plain'
import type { Invocation, Mode, Place, PlanGuard, Problem } from './agent.ts'
import type { PromptEscape } from './prompt-escapes.ts'

/** How an agent is started in a terminal, what its screen shows, and which keys it accepts. */
export interface TerminalPart {
  /** Keeps plan mode read-only in a process whose mode may change; changes nothing in other modes. */
  guardPlan?(place: Place): Promise<PlanGuard>
  /** A reason why plan mode could write files that cannot be turned off. */
  planObstacle?(place: Place): Promise<Problem | undefined>
  /** The command line. Throws `unsupported` with the option's name if the version lacks it. */
  invocation(request: TerminalStart, version: string | undefined): Invocation
  /** How the running CLI changes its permission mode: a key that cycles through all modes, or toggles two. */
  readonly modeSwitch: 'cycle' | 'toggle'
  /** Whether the caller can choose the id of a new session. */
  choosesSession(version: string | undefined): boolean
  /** Reads the state of a screen. Pure, never throws; an unknown screen is `working` or `idle` by the best indication. */
  read(screen: Screen): ScreenState
  /** The next step towards a mode; undefined if the running CLI cannot switch to it. */
  switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined
  /** The next step towards a model. */
  switchModel(wanted: string, screen: Screen, step: number): Step | undefined
  /** Prompts that the CLI would run as commands, pasted or given on the command line. */
  readonly escapes?: readonly PromptEscape[]
  /** The keys that interrupt the agent. @example ['Escape'] */
  readonly interrupt: readonly string[]
  /**
   * The keys that delete the last line of the input, for a CLI that puts an interrupted prompt back into it. They have no
   * effect on an empty input.
   */
  readonly deleteLine?: readonly string[]
  /** The keys that close the list of completions, for a CLI in which Enter would choose from it instead of sending a command. */
  readonly closeCompletions?: readonly string[]
  /** What to type to quit normally. @example '/quit' */
  readonly quit: string
  /** How a prompt mentions an image by its path. @example (path) => `@${path}` */
  mention(path: string): string
  /** The exit code that requests a restart, such as after a change of settings. */
  readonly restartExitCode?: number
  /**
   * For a CLI that sometimes hangs at its start: it is restarted after this time without output and with almost no
   * CPU use.
   */
  readonly hangsAfterMs?: number
  /** The session named on a command line, for agents that the user started. */
  findSessionId?(args: readonly string[]): string | undefined
}

/** Options of an agent that is started in a terminal. */
export interface TerminalStart {
  readonly mode?: Mode
  readonly model?: string
  readonly effort?: string
  readonly resume?: string
  /** Continues in a copy of the resumed session. */
  readonly fork?: boolean
  /** The id of the new session, if `choosesSession`. */
  readonly sessionId?: string
  /** The first prompt, for CLIs that accept it on the command line; others get it when they are ready. */
  readonly prompt?: string
  /** The kind of that prompt; text by default. A shell command cannot be given on the command line. */
  readonly promptKind?: Exclude<PromptKind, 'shell'>
  /** Hooks for this run only, if the CLI supports them: a command for each event. */
  readonly hooks?: Readonly<Record<string, string>>
  readonly extraArgs?: readonly string[]
}

/** The visible content of a terminal. */
export interface Screen {
  /** The title set by the CLI; empty if none. */
  readonly title: string
  /** All rows of the terminal from the top, without trailing spaces. */
  readonly lines: readonly string[]
  readonly columns: number
  readonly cursor: { readonly x: number; readonly y: number }
}

/** What the agent is doing, read from its screen. */
export interface ScreenState {
  readonly state: 'starting' | 'idle' | 'working' | 'asking' | 'error'
  /** A short description of the current work. */
  readonly subject?: string
  /** The visible part of the answer in this turn, without frames. */
  readonly text?: string
  readonly mode?: Mode
  readonly model?: string
  readonly ask?: ScreenAsk
  /** The unsent text of the input line; undefined if there is no input line. */
  readonly input?: string
  /** Whether the input line is in shell mode: Enter would run its text as a command. */
  readonly shell?: true
  /** Whether the user interrupted the answer at the end, for a CLI that records such an answer like a finished one. */
  readonly interrupted?: true
  /** The error message on the screen. */
  readonly error?: string
}

/** A question on the screen, with everything the screen shows of it. */
export interface ScreenAsk {
  readonly kind: Ask['kind']
  readonly title: string
  /** All visible lines of the command, change or question, without frames. */
  readonly body?: string
  /** Claude's name of the tool, and the input as far as it is visible. */
  readonly tool?: string
  readonly input?: unknown
  readonly options: readonly ScreenOption[]
  /** The keys before and after a free-text answer, if the question accepts one. */
  readonly freeText?: { readonly before: readonly string[]; readonly after: readonly string[] }
}

/** An option of a dialog, and the keys that choose it. */
export interface ScreenOption extends AskOption {
  /**
   * The keys that choose the option, in order, by tmux's names; a text of several letters is typed literally.
   * `Click:10,38` is a mouse click at column 10 of row 38, counted from 1, for dialogs whose text does not show which
   * option is selected.
   */
  readonly keys: readonly string[]
}

/** One step of a change that may take several. The screen is read again after each step. */
export type Step =
  | { readonly done: true }
  /** Keys by tmux's names. */
  | { readonly keys: readonly string[] }
  /** A line to type and send, such as a slash command. */
  | { readonly submit: string }
  /** The CLI is not ready. With `again` the previous step may have been lost and can be repeated after a delay. */
  | { readonly wait: true; readonly again?: true }
