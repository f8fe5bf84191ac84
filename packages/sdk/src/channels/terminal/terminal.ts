import type { PromptKind } from '@remora/protocol/plain'
import type { Agent, Mode, Screen, ScreenAsk, ScreenState, TerminalStart } from '../../contract/agent.ts'

/** The socket of a tmux server and the id of a pane, which tmux never reuses; or the socket of a PTY host. */
export interface PaneAddress {
  /** The path of the socket. */
  readonly socket: string
  /** `pty` for a PTY host, which has one terminal. @example '%3' */
  readonly pane: string
}

/** What holds a terminal: Remora's tmux, or a PTY host, which is a process of its own for each terminal. */
export type DriverName = 'tmux' | 'pty'

/** How an agent is started in a terminal. */
export interface StartOptions extends TerminalStart {
  readonly cwd: string
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What holds the terminal; tmux by default. */
  readonly driver?: DriverName
  /** The socket of Remora's tmux server, which is started if needed; or that of the new PTY host. */
  readonly socket: string
  /** The name of the tmux session, for `tmux attach`; a PTY host needs none. */
  readonly name: string
  /** The executable, if it is known. */
  readonly command?: string
  readonly version?: string | undefined
  readonly columns?: number
  readonly rows?: number
  readonly signal?: AbortSignal
}

/** The current state of an agent on its terminal. */
export interface TerminalNow extends Omit<ScreenState, 'state' | 'ask'> {
  readonly state: ScreenState['state'] | 'exited'
  /** With the digest of exactly what is shown. */
  readonly ask?: ScreenAsk & { readonly digest: string }
  /** How it ended, if known. */
  readonly exit?: {
    readonly code?: number
    readonly signal?: string
    /** The tmux server or the PTY host has ended, and the agent with it. */
    readonly lost?: true
  }
}

/**
 * One agent on one pane, of Remora or the user. It keeps running when this process ends; another process can attach to it.
 *
 * @example
 * const terminal = await startTerminal(gemini, { cwd, env, socket, name: 'remora-1' })
 * for await (const now of terminal.watch(signal)) show(now.state)
 */
export interface Terminal extends AsyncDisposable {
  readonly agent: Agent
  readonly address: PaneAddress
  /** The process of the pane. */
  readonly pid: number
  readonly now: TerminalNow
  screen(): Screen
  /** Everything on the screen with its colours, as bytes for another terminal. */
  serialized(): string
  /** Each changed state, starting with the current one; a slow reader misses some, but never the last. */
  watch(signal: AbortSignal): AsyncIterable<TerminalNow>
  /** The bytes of the pane as they come, for a live view; bounded by the reader. */
  output(signal: AbortSignal): AsyncIterable<string>
  /** Reads the pane itself. After a change of its width it waits until the agent has drawn its screen again. */
  refresh(): Promise<TerminalNow>

  /**
   * Pastes the text and presses Enter. Without a kind it is text for the model and never runs as a command. Throws
   * `conflict` if a dialog is open, `unknown` if the agent did not accept it.
   */
  send(text: string, options?: SendOptions): Promise<void>
  /**
   * Answers what is shown. The screen is read again first; `gone` if it shows no longer exactly what the digest means,
   * and then no key was pressed.
   */
  answer(
    digest: string,
    choice: { readonly option?: string; readonly text?: string },
  ): Promise<'done' | 'gone'>
  interrupt(): Promise<void>
  /** Throws `unsupported` if the CLI cannot switch to it while it runs. */
  setMode(mode: Mode): Promise<void>
  setModel(model: string): Promise<void>
  /** Keys by tmux's names, or text; literally, never through a shell. */
  press(...keys: readonly Key[]): Promise<void>
  /** Only for panes that Remora started. */
  resize(columns: number, rows: number): Promise<void>
  /** Asks it to quit, then kills it with everything that it started. */
  end(): Promise<void>
  /** Disconnects from the pane; the agent keeps running. */
  detach(): Promise<void>
}

/** How a prompt is sent to a terminal. */
export interface SendOptions {
  /** What the text is: for the model, or a shell command or slash command of the CLI. */
  readonly kind?: PromptKind
  readonly signal?: AbortSignal
}

/** A key by tmux's name, or literal text. */
export type Key = { readonly key: string } | { readonly text: string }

/** An agent in a pane that Remora did not start. */
export interface FoundTerminal {
  readonly agent: Agent
  readonly address: PaneAddress
  readonly pid: number
  readonly args: readonly string[]
  readonly cwd: string
  /** The name of the tmux session. */
  readonly name: string
  /** The session, if the command line or an open file names it. */
  readonly session?: string
  readonly startedAt?: number
}
