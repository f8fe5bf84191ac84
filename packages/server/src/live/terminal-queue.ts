import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Command, type CommandBody, RemoraError } from '@remora/protocol'
import { modes, toMode } from '@remora/sdk'
import type { Terminal } from '@remora/sdk/terminal'
import { CommandMoves } from './command-moves.ts'
import { getPromptKind } from '../host/prompt-parts.ts'
import { hasArrived, promptText, squeezed } from './prompt-text.ts'
import { type SentLedger, noteSent, sentAt } from './sent-time.ts'

/** A prompt that made the agent do nothing visible, such as a slash command, is over after this long. */
const quietMs = 2_000
/** Delay before a retry while a user types at the terminal. */
const retryMs = 1_500
/** A prompt without any trace after this time is lost. */
const lostMs = 20_000
/** A starting agent is ready when its screen does not change for this long. */
const calmMs = 600
const calmWithinMs = 10_000
/** How long Enter may take to have an effect. */
const settledMs = 500
/** How long the transcript may lag behind a prompt that was sent. */
const transcriptLagMs = 15_000
/** Errors of the ledger that are worth a retry. */
const transientCodes: ReadonlySet<string> = new Set(['network', 'overloaded', 'conflict', 'timeout_total'])

type QueueLedger = SentLedger & Pick<Ledger, 'commands' | 'session' | 'read'>

export interface QueueHooks {
  key(): SessionKey
  /** Whether the agent can take a prompt. */
  ready(): boolean
  /** Bytes within a prompt become files. */
  media(body: Prompt): Promise<Prompt>
  sent(text: string): void
  moved(command: Command): void
  /** A turn is over that was shorter than two readings of the screen, so no state showed it. */
  unseen(): void
  end(): Promise<void>
  /** Errors that no caller waits for. */
  onError(error: unknown): void
}

type Prompt = Extract<CommandBody, { kind: 'prompt' }>

interface Turn {
  readonly command: Command
  readonly text: string
  /** When it started, by the clock of this machine. */
  readonly since: number
  at: number
  worked: boolean
}

/** Runs the commands for an agent on a terminal: prompts in order, each after the turn before. */
export class TerminalQueue {
  readonly #ledger: QueueLedger
  readonly #terminal: Terminal
  readonly #hooks: QueueHooks
  readonly #signal: AbortSignal
  readonly #moves: CommandMoves
  /** The turn under way. */
  #turn: Turn | undefined
  /** Whether the agent has finished drawing its start screen. */
  #calm = false
  /** Prompts of a previous server process that may not have reached the agent. Later ones wait. */
  #recovering: Promise<void> | undefined
  #running: Promise<void> | undefined
  #ending: Promise<void> | undefined
  #again = false
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ledger: QueueLedger, terminal: Terminal, hooks: QueueHooks, signal: AbortSignal) {
    this.#ledger = ledger
    this.#terminal = terminal
    this.#hooks = hooks
    this.#signal = signal
    this.#moves = new CommandMoves({ ledger, hooks, signal, retryMs })
  }

  /** Recovers commands that a previous server process left in state `sent`. */
  async recover(): Promise<void> {
    const interrupted = await this.#ledger.commands.list({ session: this.#hooks.key(), state: 'sent' })
    for (const command of interrupted.filter(({ body }) => body.kind !== 'prompt'))
      // Retrying a cancel could stop a newer turn. Every other command is safe to repeat.
      if (command.body.kind === 'cancel')
        await this.#moves.move(command, 'sent', 'refused', 'The server stopped before the command ran')
      else await this.#moves.move(command, 'sent', 'queued')
    const prompts = interrupted.filter(({ body }) => body.kind === 'prompt')
    if (prompts.length > 0)
      this.#recovering = this.#recoverPrompts(prompts)
        .catch(this.#hooks.onError)
        .finally(() => {
          this.#recovering = undefined
          this.nudge()
        })
    this.nudge()
  }

  /** Retries until each prompt is settled: otherwise it would stay `sent` forever. */
  async #recoverPrompts(prompts: readonly Command[]): Promise<void> {
    for (const command of prompts)
      for (let isOver = false; !isOver && !this.#signal.aborted;)
        try {
          await this.#recoverPrompt(command)
          isOver = true
        } catch (error) {
          this.#hooks.onError(error)
          isOver = !RemoraError.is(error) || !transientCodes.has(error.code)
          if (isOver) await this.#moves.settle(command, 'refused', (error as Error).message)
          else await sleep(retryMs, undefined, { signal: this.#signal }).catch(() => {})
        }
  }

  /** Waits for the transcript, which may not be in the ledger yet. */
  async #recoverPrompt(command: Command): Promise<void> {
    const { body } = command
    if (body.kind !== 'prompt') return
    const text = await this.#getText(body)
    const at = await sentAt(this.#ledger, command)
    // Helps to identify the conversation.
    this.#hooks.sent(text)
    const arrived = (): Promise<boolean> => hasArrived(this.#ledger, this.#hooks.key(), text, { at })
    if (await this.#isInInput(text)) await this.#terminal.press({ key: 'Enter' })
    let found = await arrived()
    for (
      const end = performance.now() + transcriptLagMs;
      !found && performance.now() < end && !this.#signal.aborted;
      found = await arrived()
    )
      await sleep(250, undefined, { signal: this.#signal }).catch(() => {})
    // The next server process checks again.
    if (!found && this.#signal.aborted) return
    if (found) await this.#moves.settle(command, 'done')
    else
      await this.#moves.settle(
        command,
        'refused',
        'The server stopped while sending. The prompt may not have reached the agent.',
      )
  }

  /** Whether the text stays in the input line: it was pasted, and only Enter is missing. */
  async #isInInput(text: string): Promise<boolean> {
    for (const wait of [0, settledMs]) {
      await sleep(wait, undefined, { signal: this.#signal }).catch(() => {})
      const { state, input, shell } = await this.#terminal.refresh()
      if (state !== 'idle' || shell || squeezed(input ?? '') !== squeezed(text)) return false
    }
    return !this.#signal.aborted
  }

  /** Checks for commands, because one came or the agent is ready for the next. */
  nudge(): void {
    if (this.#signal.aborted) return
    if (this.#running) {
      this.#again = true
      return
    }
    this.#running = this.#work()
      .catch((error: unknown) => {
        this.#hooks.onError(error)
        // The disk may be full. Queued commands are retried.
        setTimeout(() => this.nudge(), retryMs).unref()
      })
      .finally(() => {
        this.#running = undefined
        if (this.#again) {
          this.#again = false
          this.nudge()
        }
      })
  }

  /** Carries out a queued `end` now: the command under way may take a minute, such as a switch that has no effect. */
  end(): void {
    this.#ending ??= this.#endNow()
      .catch(this.#hooks.onError)
      .finally(() => (this.#ending = undefined))
  }

  async #endNow(): Promise<void> {
    const queued = await this.#ledger.commands.list({ session: this.#hooks.key(), state: 'queued' })
    const next = queued.find(({ body }) => body.kind === 'end')
    const taken = next && (await this.#moves.take(next))
    if (taken) await this.#execute(taken)
  }

  get idle(): Promise<void> {
    return Promise.all([this.#running, this.#recovering, this.#ending]).then(() => {})
  }

  /** Marks the prompt under way as done: the agent has it and keeps running. */
  async detach(): Promise<void> {
    await this.idle
    if (this.#turn) await this.#moves.move(this.#turn.command, 'sent', 'done')
  }

  /** Updates the turn under way by the state of the screen. */
  async see(state: string): Promise<void> {
    const turn = this.#turn
    if (!turn) return
    if (state === 'working' || state === 'asking') turn.worked = true
    const over = turn.worked
      ? state === 'idle' || state === 'error' || state === 'exited'
      : performance.now() - turn.at > quietMs && (await this.#isTaken(turn))
    if (this.#turn !== turn) return
    if (over) {
      await this.#moves.settle(turn.command, 'done')
      if (!turn.worked && !isCommand(turn.command)) this.#hooks.unseen()
      if (this.#turn === turn) this.#turn = undefined
    } else if (!turn.worked) {
      this.#checkLater()
    }
  }

  /**
   * Whether the agent took the prompt, although it was never seen working. A prompt that is neither in the input line, nor
   * on the screen, nor in the transcript is lost. It is not sent again, because each of these may only be late.
   */
  async #isTaken(turn: Turn): Promise<boolean> {
    const { command, text, since: at } = turn
    if (isCommand(command) || (await hasArrived(this.#ledger, this.#hooks.key(), text, { at }))) return true
    // An agent that redraws its start screen may show an empty line before the pasted text.
    if (await this.#isInInput(text)) {
      await this.#terminal.press({ key: 'Enter' })
      return false
    }
    const { state, input } = this.#terminal.now
    if (state !== 'idle' || input || performance.now() - turn.at < lostMs) return false
    const shown = squeezed(this.#terminal.screen().lines.join(''))
    if (shown.includes(squeezed(text).slice(0, 40))) return true
    if (this.#turn === turn) this.#turn = undefined
    await this.#moves.settle(
      command,
      'refused',
      'No response. The prompt may not have reached the agent. Send it again if needed.',
    )
    this.nudge()
    return false
  }

  /** A turn that never showed on the screen ends without a screen change, so it is polled. */
  #checkLater(): void {
    clearTimeout(this.#timer)
    const check = (): void => {
      this.see(this.#terminal.now.state).then(
        () => this.nudge(),
        (error: unknown) => {
          this.#hooks.onError(error)
          if (!this.#signal.aborted) this.#checkLater()
        },
      )
    }
    this.#timer = setTimeout(check, quietMs + 50).unref()
  }

  async #work(): Promise<void> {
    const before = await this.#moves.findUnconfirmed()
    if (before) await this.#execute(before)
    for (;;) {
      const queued = await this.#ledger.commands.list({ session: this.#hooks.key(), state: 'queued' })
      const waits = ({ body }: Command): boolean => body.kind === 'prompt' || body.kind === 'model'
      const free = this.#turn === undefined && this.#recovering === undefined
      const ready = free && performance.now() >= this.#notBefore && this.#hooks.ready()
      const next = queued.find((command) => !waits(command)) ?? (ready ? queued.find(waits) : undefined)
      if (!next || this.#signal.aborted) return
      if (next.body.kind === 'prompt') await noteSent(this.#ledger, next)
      // Compare-and-set: only the winner of queued→sent runs it.
      const taken = await this.#moves.take(next)
      if (taken) await this.#execute(taken)
    }
  }

  async #execute(taken: Command): Promise<void> {
    const { body } = taken
    try {
      if (body.kind === 'prompt') return await this.#prompt(taken, await this.#getText(body))
      await this.#run(body)
      await this.#moves.settle(taken, 'done')
    } catch (error) {
      // The prompt stays queued if a dialog opened, a user is typing, or the server stops before it was typed.
      const waits = RemoraError.is(error) ? error.code === 'conflict' : error === this.#signal.reason
      if (body.kind === 'prompt' && waits) return await this.#putBack(taken)
      const why =
        RemoraError.is(error) && error.hint ? `${error.message}. ${error.hint}` : (error as Error).message
      await this.#moves.settle(taken, 'refused', why)
    }
  }

  async #getText(body: Prompt): Promise<string> {
    return promptText((await this.#hooks.media(body)).content, this.#terminal)
  }

  async #putBack(command: Command): Promise<void> {
    this.#notBefore = performance.now() + retryMs
    await this.#moves.settle(command, 'queued')
    setTimeout(() => this.nudge(), retryMs + 10).unref()
  }

  async #prompt(command: Command, text: string): Promise<void> {
    const turn: Turn = { command, text, since: Date.now(), at: performance.now(), worked: false }
    const kind = command.body.kind === 'prompt' ? getPromptKind(command.body) : 'text'
    this.#turn = turn
    this.#hooks.sent(text)
    try {
      if (!this.#calm) await this.#waitForCalm()
      await this.#terminal.send(text, { signal: this.#signal, kind })
    } catch (error) {
      this.#turn = undefined
      throw error
    }
    // Typing a long text takes a while without any screen change.
    turn.at = performance.now()
    await this.see(this.#terminal.now.state)
  }

  /** An agent that is loading a conversation already shows its input line, and empties it afterwards. */
  async #waitForCalm(): Promise<void> {
    const rows = (): string => this.#terminal.screen().lines.join('\n')
    const end = performance.now() + calmWithinMs
    for (let before = ''; before !== rows() && performance.now() < end;) {
      before = rows()
      await sleep(calmMs, undefined, { signal: this.#signal })
    }
    this.#calm = true
  }

  async #run(body: CommandBody): Promise<void> {
    switch (body.kind) {
      case 'cancel':
        return this.#terminal.interrupt()
      case 'mode': {
        const mode = toMode(body.mode)
        if (mode === undefined)
          throw new RemoraError('unsupported', `Unknown mode "${body.mode}"`, {
            hint: `One of: ${modes.join(', ')}`,
          })
        return this.#terminal.setMode(mode)
      }
      case 'model':
        return this.#terminal.setModel(body.model)
      case 'end':
        return this.#hooks.end()
      default:
        throw new RemoraError('usage', `Unsupported command "${body.kind}"`)
    }
  }
}

/** Neither a slash command nor a shell command needs to reach the transcript. */
function isCommand({ body }: Command): boolean {
  return body.kind === 'prompt' && getPromptKind(body) !== 'text'
}
