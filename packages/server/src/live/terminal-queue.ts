import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Block, type Command, type PromptKind, RemoraError } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
import {
  type CommandDriver,
  CommandExecutor,
  type PromptBody,
  recoverSent,
} from '../host/command-executor.ts'
import { getPromptKind, hasArrived, squeeze, toPromptParts } from '../host/prompt-parts.ts'

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
  media(body: PromptBody): Promise<PromptBody>
  sent(text: string): void
  moved(command: Command): void
  /** A turn is over that was shorter than two readings of the screen, so no state showed it. */
  unseen(): void
  end(): Promise<void>
  /** Errors that no caller waits for. */
  onError(error: unknown): void
}

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
  readonly #executor: CommandExecutor
  /** The turn under way. */
  #turn: Turn | undefined
  /** Whether the agent has finished drawing its start screen. */
  #calm = false
  /** Prompts of a previous server process that may not have reached the agent. Later ones wait. */
  #recovering: Promise<void> | undefined
  #ending: Promise<void> | undefined
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ledger: QueueLedger, terminal: Terminal, hooks: QueueHooks, signal: AbortSignal) {
    this.#ledger = ledger
    this.#terminal = terminal
    this.#hooks = hooks
    this.#signal = signal
    this.#executor = new CommandExecutor(
      {
        ledger,
        key: hooks.key,
        signal,
        retryDelay: () => sleep(retryMs, undefined, { signal }).catch(() => {}),
        onMoved: hooks.moved,
        onPromptLeft: (command) => removeSentTime(ledger, command),
        onSettleError: hooks.onError,
      },
      this.#createDriver(),
    )
  }

  /** Recovers commands that a previous server process left in state `sent`. */
  async recover(): Promise<void> {
    const prompts = await recoverSent({
      ledger: this.#ledger,
      key: this.#hooks.key(),
      move: (...args) => this.#executor.move(...args),
      // Retrying a cancel could stop a newer turn. Every other command is safe to repeat.
      isRepeatable: ({ body }) => body.kind !== 'cancel',
    })
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
          if (isOver) await this.#executor.settle(command, 'refused', (error as Error).message)
          else await sleep(retryMs, undefined, { signal: this.#signal }).catch(() => {})
        }
  }

  /** Waits for the transcript, which may not be in the ledger yet. */
  async #recoverPrompt(command: Command): Promise<void> {
    const { body } = command
    if (body.kind !== 'prompt') return
    const text = await this.#getText(body)
    const at = await readSentTime(this.#ledger, command)
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
    if (found) await this.#executor.settle(command, 'done')
    else
      await this.#executor.settle(
        command,
        'refused',
        'Remora stopped while sending. The prompt may not have reached the agent.',
      )
  }

  /** Whether the text stays in the input line: it was pasted, and only Enter is missing. */
  async #isInInput(text: string): Promise<boolean> {
    for (const wait of [0, settledMs]) {
      await sleep(wait, undefined, { signal: this.#signal }).catch(() => {})
      const { state, input, shell } = await this.#terminal.refresh()
      if (state !== 'idle' || shell || squeeze(input ?? '') !== squeeze(text)) return false
    }
    return !this.#signal.aborted
  }

  /** Checks for commands, because one came or the agent is ready for the next. */
  nudge(): void {
    if (this.#signal.aborted) return
    const isRunning = this.#executor.checking !== undefined
    const checking = this.#executor.check()
    if (isRunning) return
    checking.catch((error: unknown) => {
      this.#hooks.onError(error)
      // The disk may be full. Queued commands are retried.
      setTimeout(() => this.nudge(), retryMs).unref()
      if (this.#executor.isCheckRequested) this.nudge()
    })
  }

  /** Runs a queued `end` now: the command under way may take a minute, such as a switch that has no effect. */
  end(): void {
    this.#ending ??= this.#executor
      .endNow()
      .catch(this.#hooks.onError)
      .finally(() => (this.#ending = undefined))
  }

  get idle(): Promise<void> {
    const checking = this.#executor.checking?.catch(() => {})
    return Promise.all([checking, this.#recovering, this.#ending]).then(() => {})
  }

  /** Marks the prompt under way as done: the agent has it and keeps running. */
  async detach(): Promise<void> {
    await this.idle
    if (this.#turn) await this.#executor.move(this.#turn.command, 'sent', 'done')
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
      await this.#executor.settle(turn.command, 'done')
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
    const shown = squeeze(this.#terminal.screen().lines.join(''))
    if (shown.includes(squeeze(text).slice(0, 40))) return true
    if (this.#turn === turn) this.#turn = undefined
    await this.#executor.settle(
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

  #createDriver(): CommandDriver {
    const terminal = this.#terminal
    return {
      choose: (queued) => this.#choose(queued),
      beforePrompt: (prompt) => storeSentTime(this.#ledger, prompt),
      prompt: (command, body) => this.#prompt(command, body),
      cancelsInBackground: false,
      cancel: () => terminal.interrupt(),
      setMode: (mode) => terminal.setMode(mode),
      setModel: (model) => terminal.setModel(model),
      end: async () => {
        await this.#hooks.end()
        return 'done'
      },
    }
  }

  /** Prompts and models need the input line. Other commands go first. */
  #choose(queued: readonly Command[]): Command | undefined {
    const needsInput = ({ body }: Command): boolean => body.kind === 'prompt' || body.kind === 'model'
    const isFree = this.#turn === undefined && this.#recovering === undefined
    const isReady = isFree && performance.now() >= this.#notBefore && this.#hooks.ready()
    return queued.find((command) => !needsInput(command)) ?? (isReady ? queued.find(needsInput) : undefined)
  }

  async #getText(body: PromptBody): Promise<string> {
    return toTerminalText((await this.#hooks.media(body)).content, this.#terminal)
  }

  async #putBack(command: Command): Promise<void> {
    this.#notBefore = performance.now() + retryMs
    await this.#executor.settle(command, 'queued')
    setTimeout(() => this.nudge(), retryMs + 10).unref()
  }

  async #prompt(command: Command, body: PromptBody): Promise<void> {
    try {
      await this.#send(command, await this.#getText(body), getPromptKind(body))
    } catch (error) {
      // The prompt stays queued if a dialog opened, a user is typing, or the server stops before it was typed.
      const waits = RemoraError.is(error) ? error.code === 'conflict' : error === this.#signal.reason
      if (!waits) throw error
      await this.#putBack(command)
    }
  }

  async #send(command: Command, text: string, kind: PromptKind): Promise<void> {
    const turn: Turn = { command, text, since: Date.now(), at: performance.now(), worked: false }
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
}

/** Neither a slash command nor a shell command needs to reach the transcript. */
function isCommand({ body }: Command): boolean {
  return body.kind === 'prompt' && getPromptKind(body) !== 'text'
}

type SentLedger = Pick<Ledger, 'append' | 'marks' | 'node'>

/**
 * Stores when a prompt is sent to the agent, by the clock of this machine. Transcripts use the same clock; the machine that
 * submitted the prompt may have another one.
 */
async function storeSentTime(ledger: SentLedger, command: Command): Promise<void> {
  if (ledger.node !== undefined) await ledger.append([], { marks: { [getMark(command)]: Date.now() } })
}

/** When the prompt was sent, by the clock of this machine if it was stored. */
async function readSentTime(ledger: SentLedger, command: Command): Promise<number> {
  if (ledger.node === undefined) return command.at
  const noted = (await ledger.marks(getMark(command))).get(getMark(command))
  return typeof noted === 'number' ? noted : command.at
}

/** Removes the stored time. */
async function removeSentTime(ledger: SentLedger, command: Command): Promise<void> {
  if (ledger.node !== undefined) await ledger.append([], { marks: { [getMark(command)]: undefined } })
}

function getMark({ client, id }: Command): string {
  return `terminal/sent/${JSON.stringify([client, id])}`
}

/** A prompt as terminal input: text, and files by path. Throws for content that a terminal cannot take. */
function toTerminalText(content: readonly Block[], { agent }: Pick<Terminal, 'agent'>): string {
  const parts = toPromptParts(content)
  if (typeof parts === 'string') return parts
  const texts = parts.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text
      case 'file':
        return agent.terminal!.mention(part.path)
      case 'link':
        return part.uri
      default:
        throw new RemoraError('unsupported', `A terminal prompt cannot contain ${part.type}`, {
          hint: 'Save it as a file and put its path in the prompt.',
        })
    }
  })
  return texts.filter((each) => each !== '').join('\n')
}
