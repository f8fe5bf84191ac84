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
/** So long until it is tried again to say something to an agent at whose terminal somebody types. */
const retryMs = 1_500
/** A prompt of which there is no trace after this long is lost. */
const lostMs = 20_000
/** An agent that begins has drawn everything when it draws nothing for this long; not longer than that is waited. */
const calmMs = 600
const calmWithinMs = 10_000
/** An Enter that was pressed has taken its effect after this long. */
const settledMs = 500
/** So long the agent's own words about a prompt may take to get into the ledger. */
const transcriptLagMs = 15_000
/** What is wrong with a ledger that will be right again. */
const transientCodes: ReadonlySet<string> = new Set(['network', 'overloaded', 'conflict', 'timeout_total'])

type QueueLedger = SentLedger & Pick<Ledger, 'commands' | 'session' | 'read'>

export interface QueueHooks {
  key(): SessionKey
  /** Whether it may be said something now. */
  ready(): boolean
  /** Bytes within a prompt become files. */
  media(body: Prompt): Promise<Prompt>
  sent(text: string): void
  moved(command: Command): void
  end(): Promise<void>
  /** What could not be done, and that nobody waits for. */
  onError(error: unknown): void
}

type Prompt = Extract<CommandBody, { kind: 'prompt' }>

interface Turn {
  readonly command: Command
  readonly text: string
  /** When it began, by the clock that the agent has too. */
  readonly since: number
  at: number
  worked: boolean
}

/** Does what surfaces want of an agent on a terminal: prompts in order, each when the one before is answered. */
export class TerminalQueue {
  readonly #ledger: QueueLedger
  readonly #terminal: Terminal
  readonly #hooks: QueueHooks
  readonly #signal: AbortSignal
  readonly #moves: CommandMoves
  /** The prompt whose turn it is. */
  #turn: Turn | undefined
  /** Whether it was waited for the agent to have drawn all that it begins with. */
  #calm = false
  /** A prompt of which nobody knows yet whether it has reached the agent: what comes after it waits. */
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

  /** Looks at what one who was killed may have interrupted in the middle. */
  async recover(): Promise<void> {
    const interrupted = await this.#ledger.commands.list({ session: this.#hooks.key(), state: 'sent' })
    for (const command of interrupted.filter(({ body }) => body.kind !== 'prompt'))
      // To break off once more could hit what was begun since; all else can be done again.
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

  /** Each as soon as the ledger can be reached: one that was interrupted would stand there for ever. */
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

  /** What the agent wrote down may not be in the ledger yet. */
  async #recoverPrompt(command: Command): Promise<void> {
    const { body } = command
    if (body.kind !== 'prompt') return
    const text = await this.#getText(body)
    const at = await sentAt(this.#ledger, command)
    // It is one of those that may tell which conversation this is.
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
    // The next one looks again.
    if (!found && this.#signal.aborted) return
    if (found) await this.#moves.settle(command, 'done')
    else
      await this.#moves.settle(
        command,
        'refused',
        'The server stopped while sending. The prompt may not have reached the agent.',
      )
  }

  /** Whether it is in the input line and stays there: then it was pasted, and only its Enter is missing. */
  async #isInInput(text: string): Promise<boolean> {
    for (const wait of [0, settledMs]) {
      await sleep(wait, undefined, { signal: this.#signal }).catch(() => {})
      const { state, input, shell } = await this.#terminal.refresh()
      if (state !== 'idle' || shell || squeezed(input ?? '') !== squeezed(text)) return false
    }
    return !this.#signal.aborted
  }

  /** There may be something to do: a command came, or the agent is ready for the next one. */
  nudge(): void {
    if (this.#signal.aborted) return
    if (this.#running) {
      this.#again = true
      return
    }
    this.#running = this.#work()
      .catch((error: unknown) => {
        this.#hooks.onError(error)
        // As on a full disk: what waits is not forgotten.
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

  /** We go, and the agent goes on with what it was moved: that much is known, also to those who come after us. */
  async detach(): Promise<void> {
    await this.idle
    if (this.#turn) await this.#moves.move(this.#turn.command, 'sent', 'done')
  }

  /** What the screen says of the turn under way. */
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
      if (this.#turn === turn) this.#turn = undefined
    } else if (!turn.worked) {
      this.#checkLater()
    }
  }

  /**
   * Whether it came to something, although the agent was never seen to work. What is neither in the input line, nor on the
   * screen, nor written down is lost; it is never said a second time, since all of that may only be late.
   */
  async #isTaken(turn: Turn): Promise<boolean> {
    const { command, text, since: at } = turn
    if (isCommand(command) || (await hasArrived(this.#ledger, this.#hooks.key(), text, { at }))) return true
    // One that draws its beginning anew may show an empty line, and then what was pasted again.
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

  /** Where nothing is to be seen of a turn, no change of the screen tells that it is over. */
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
      // Whoever moves it does it: withdrawn meanwhile, it is nobody's.
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
      // A dialog has opened, or somebody types there: it waits on. So it does where we leave before it was typed.
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
    // To type a long text takes a while, in which nothing was to be seen.
    turn.at = performance.now()
    await this.see(this.#terminal.now.state)
  }

  /** One that still loads a conversation shows its input line already, and empties it when it is there. */
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
