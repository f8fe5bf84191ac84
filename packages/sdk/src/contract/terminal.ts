import type { Ask, AskOption, PromptKind } from '@remora/protocol/plain'
import type { Invocation, Mode, Place, PlanGuard, Problem } from './agent.ts'
import type { PromptEscape } from './prompt-escapes.ts'

/** How an agent is started on a terminal, what its screen says, and which keys it takes. */
export interface TerminalPart {
  /** Keeps plan mode read-only in a process whose mode may change; changes nothing in other modes. */
  guardPlan?(place: Place): Promise<PlanGuard>
  /** What would make its plan mode write, and cannot be switched off. */
  planObstacle?(place: Place): Promise<Problem | undefined>
  /** The command line. Throws `unsupported`, naming the option, where the version lacks it. */
  invocation(request: TerminalStart, version: string | undefined): Invocation
  /** How the running CLI changes its permission mode: a key that goes through all, or one that switches two. */
  readonly modeSwitch: 'cycle' | 'toggle'
  /** Whether the id of a new session can be chosen, so that it is known before the CLI has said a word. */
  choosesSession(version: string | undefined): boolean
  /** What the screen says. Pure, never throws: a screen that it does not know is `working` or `idle` by its best sign. */
  read(screen: Screen): ScreenState
  /** The next step on the way to a mode; undefined where this CLI cannot get there while it runs. */
  switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined
  /** The same for a model. */
  switchModel(wanted: string, screen: Screen, step: number): Step | undefined
  /** Prompts that it would run as commands, pasted or given on the command line. */
  readonly escapes?: readonly PromptEscape[]
  /** The keys that break off what it does. @example ['Escape'] */
  readonly interrupt: readonly string[]
  /** What is typed to leave it in peace. @example '/quit' */
  readonly quit: string
  /** How a picture by its path is said within a prompt. @example (path) => `@${path}` */
  mention(path: string): string
  /** The exit code by which it asks to be started again, as after a change of its settings. */
  readonly startsAgain?: number
  /**
   * For a CLI that at times hangs at its start for ever: after so long without anything to see or to do behind it, it is
   * started again.
   */
  readonly hangsAfterMs?: number
  /** The session that a command line names, for agents that somebody else has started. */
  sessionIn?(args: readonly string[]): string | undefined
}

export interface TerminalStart {
  readonly mode?: Mode
  readonly model?: string
  readonly effort?: string
  readonly resume?: string
  /** Goes on in a session of its own that begins as the resumed one. */
  readonly fork?: boolean
  /** The id of the new session, for CLIs that let us choose it. */
  readonly sessionId?: string
  /** The first prompt, for CLIs that take it along; others are sent it when they are ready. */
  readonly prompt?: string
  /** What that prompt is; text by default. A shell command cannot be taken along. */
  readonly promptKind?: Exclude<PromptKind, 'shell'>
  /** Hooks for this run only, where the CLI takes them: the command for each of its events. */
  readonly hooks?: Readonly<Record<string, string>>
  readonly extraArgs?: readonly string[]
}

/** What a person sees. */
export interface Screen {
  /** The title of the pane, as the CLI set it last; empty if it never did. */
  readonly title: string
  /** The visible rows from the top, without spaces at their ends. As many as the terminal has. */
  readonly lines: readonly string[]
  readonly columns: number
  readonly cursor: { readonly x: number; readonly y: number }
}

export interface ScreenState {
  readonly state: 'starting' | 'idle' | 'working' | 'asking' | 'error'
  /** What it thinks about, in a few words. */
  readonly subject?: string
  /** What it has answered so far in this turn, as far as it is on the screen: words only, no frames. */
  readonly text?: string
  /** One of our modes, or the CLI's own name of a mode that we have no word for. */
  readonly mode?: Mode | (string & {})
  readonly model?: string
  readonly ask?: ScreenAsk
  /** What stands in the input line, not sent yet; undefined where there is no input line. */
  readonly input?: string
  /** Whether the input line is in shell mode: Enter would run its text as a command. */
  readonly shell?: true
  /** What is wrong, in its own words. */
  readonly error?: string
}

/** A question on the screen. What it says is all that a person could know of it. */
export interface ScreenAsk {
  readonly kind: Ask['kind']
  readonly title: string
  /** The command, the change, the question: every line of it that is shown, without frames. */
  readonly body?: string
  /** The tool by Claude's name, and its input as far as the screen tells it. */
  readonly tool?: string
  readonly input?: unknown
  readonly options: readonly ScreenOption[]
  /** The keys that come before words of one's own, if those are taken. */
  readonly freeText?: { readonly before: readonly string[]; readonly after: readonly string[] }
}

export interface ScreenOption extends AskOption {
  /**
   * The keys that choose it, one after the other, by tmux's names; a text of several letters is typed literally.
   * `Click:10,38` is the mouse at column 10 of row 38, counted from 1, for dialogs that do not show in their text where
   * their mark is.
   */
  readonly keys: readonly string[]
}

/** One step of a change that takes several. The screen is read again after each. */
export type Step =
  | { readonly done: true }
  /** Keys by tmux's names. */
  | { readonly keys: readonly string[] }
  /** A line that is typed and sent, such as a slash command. */
  | { readonly submit: string }
  /** The CLI is not there yet; `again` if the step before may have been lost, and can be gone once more after a while. */
  | { readonly wait: true; readonly again?: true }
