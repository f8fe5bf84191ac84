import type { Ledger, SessionKey } from '@remora/ledger'
import { type Command, type CommandBody, type CommandState, RemoraError } from '@remora/protocol/plain'

export type PromptBody = Extract<CommandBody, { kind: 'prompt' }>

/** How commands reach one agent. A method that throws refuses its command, with the error as the reason. */
export interface CommandDriver {
  /** Runs before each check of the queue. */
  beforeCheck?(): Promise<void>
  /** Chooses the command to run next. Prompts wait until the agent is ready. */
  choose(queued: readonly Command[]): Command | undefined
  /** Runs before a prompt is taken, to store what recovery needs. */
  beforePrompt(prompt: Command): Promise<void>
  /** Runs when another process moved a prompt after `beforePrompt`. */
  promptNotTaken?(prompt: Command): Promise<void>
  /** Sends a prompt, and settles the command when its turn is over. */
  prompt(command: Command, body: PromptBody): Promise<void>
  /** Interrupts the turn under way. */
  cancel(): Promise<void>
  setMode(mode: string): Promise<void>
  setModel(model: string): Promise<void>
  /** Ends the agent. `later` if the end of the session settles the command. */
  end(): Promise<'done' | 'later'>
  /** Whether other commands run while a cancel is under way. */
  readonly cancelsInBackground: boolean
}

export interface ExecutorOptions {
  readonly ledger: { readonly commands: Pick<Ledger['commands'], 'find' | 'list' | 'move'> }
  /** The session, whose id may change. */
  readonly key: () => SessionKey
  readonly signal: AbortSignal
  /** The delay before a retry if the ledger is unavailable. */
  readonly retryDelay: () => Promise<unknown>
  /** Called for each command that was moved. */
  readonly onMoved?: (command: Command) => void
  /** Called after a prompt has left the state `sent`. */
  readonly onPromptLeft?: (command: Command) => Promise<void>
  readonly onSettleError: (error: unknown, command: Command) => void
}

/**
 * Runs the queued commands of a session, each once: `queued → sent → done | refused`. Only this process takes commands of
 * the session; clients may withdraw or edit queued ones at the same time.
 */
export class CommandExecutor {
  readonly #options: ExecutorOptions
  readonly #driver: CommandDriver
  #checking: Promise<void> | undefined
  #again = false
  /** A command whose move to `sent` failed, so that its outcome is unknown. */
  #unconfirmed: Command | undefined

  constructor(options: ExecutorOptions, driver: CommandDriver) {
    this.#options = options
    this.#driver = driver
  }

  /** The check under way. */
  get checking(): Promise<void> | undefined {
    return this.#checking
  }

  /** Whether a check was requested during the one that ended last, and failed. */
  get isCheckRequested(): boolean {
    return this.#again
  }

  /** Runs the queued commands that can run now. A call during a check repeats that check. */
  check(): Promise<void> {
    if (this.#checking) this.#again = true
    else this.#checking = this.#checkUntilUnchanged()
    return this.#checking
  }

  /** Runs a queued `end` now: the command under way may take a minute, such as a switch that has no effect. */
  async endNow(): Promise<void> {
    const end = (await this.#list('queued')).find(({ body }) => body.kind === 'end')
    const taken = end && (await this.#take(end))
    if (taken) await this.#execute(taken)
  }

  /** Compare-and-set: only the winner of `queued → sent` runs the command, with its current text. */
  async #take(command: Command): Promise<Command | undefined> {
    try {
      return await this.move(command, 'queued', 'sent')
    } catch (error) {
      this.#unconfirmed = command
      throw error
    }
  }

  /** Finds a command that a failed move has moved after all. */
  async #findUnconfirmed(): Promise<Command | undefined> {
    if (!this.#unconfirmed) return undefined
    const now = await this.#options.ledger.commands.find(this.#unconfirmed)
    this.#unconfirmed = undefined
    return now?.state === 'sent' ? now : undefined
  }

  /** Records a result as soon as the ledger is available. After an abort the next process checks again. */
  async settle(command: Command, to: CommandState, reason?: string): Promise<void> {
    const { onSettleError, signal, retryDelay } = this.#options
    for (let isRetry = false; ; isRetry = true) {
      try {
        const moved = await this.move(command, 'sent', to, reason)
        if (!moved && isRetry) await this.#reportMoved(command)
        return
      } catch (error) {
        onSettleError(error, command)
        if (signal.aborted) return
        await retryDelay()
      }
    }
  }

  async move(
    command: Command,
    from: CommandState,
    to: CommandState,
    reason?: string,
  ): Promise<Command | undefined> {
    const { ledger, onMoved, onPromptLeft } = this.#options
    const moved = await ledger.commands.move(command, from, to, reason)
    if (moved) onMoved?.(moved)
    if (from === 'sent' && command.body.kind === 'prompt') await onPromptLeft?.(command)
    return moved
  }

  /** Reports a command that an earlier attempt moved. */
  async #reportMoved(command: Command): Promise<void> {
    const { ledger, onMoved } = this.#options
    const found = onMoved && (await ledger.commands.find(command))
    if (found) onMoved(found)
  }

  async #checkUntilUnchanged(): Promise<void> {
    try {
      do {
        this.#again = false
        await this.#checkOnce()
      } while (this.#again && !this.#options.signal.aborted)
    } finally {
      // In the same tick as the last read of `again`, so that no call is missed.
      this.#checking = undefined
    }
  }

  async #checkOnce(): Promise<void> {
    await this.#driver.beforeCheck?.()
    const before = await this.#findUnconfirmed()
    if (before) await this.#execute(before)
    for (;;) {
      const next = this.#driver.choose(await this.#list('queued'))
      if (!next || this.#options.signal.aborted) return
      const isPrompt = next.body.kind === 'prompt'
      if (isPrompt) await this.#driver.beforePrompt(next)
      const taken = await this.#take(next)
      if (taken) await this.#execute(taken)
      else if (isPrompt) await this.#driver.promptNotTaken?.(next)
    }
  }

  async #execute(command: Command): Promise<void> {
    const running = this.#run(command)
    if (command.body.kind !== 'cancel' || !this.#driver.cancelsInBackground) await running
  }

  /** Runs a command that was taken. Never rejects. */
  async #run(command: Command): Promise<void> {
    const { body } = command
    const driver = this.#driver
    try {
      switch (body.kind) {
        case 'prompt':
          return await driver.prompt(command, body)
        case 'cancel':
          await driver.cancel()
          break
        case 'mode':
          await driver.setMode(body.mode)
          break
        case 'model':
          await driver.setModel(body.model)
          break
        case 'end':
          if ((await driver.end()) === 'later') return
          break
        default:
          throw new RemoraError('usage', `Unsupported command "${body.kind}"`, {
            hint: 'Answer the request itself.',
          })
      }
      await this.settle(command, 'done')
    } catch (error) {
      await this.settle(command, 'refused', formatReason(error as Error))
    }
  }

  #list(state: CommandState): Promise<Command[]> {
    const { ledger, key } = this.#options
    return ledger.commands.list({ session: key(), state })
  }
}

/** Formats the reason of a refusal. */
export function formatReason({
  message,
  hint,
}: {
  readonly message: string
  readonly hint?: string
}): string {
  return hint ? `${message}. ${hint}` : message
}

/**
 * Settles the commands that a previous process left in state `sent`, except prompts: returns those, because only their
 * driver can find out whether the agent got them.
 */
export async function recoverSent({
  ledger,
  key,
  move,
  isRepeatable,
}: {
  readonly ledger: { readonly commands: Pick<Ledger['commands'], 'list'> }
  readonly key: SessionKey
  readonly move: CommandExecutor['move']
  readonly isRepeatable: (command: Command) => boolean
}): Promise<Command[]> {
  const interrupted = await ledger.commands.list({ session: key, state: 'sent' })
  for (const command of interrupted)
    if (command.body.kind === 'prompt') continue
    else if (isRepeatable(command)) await move(command, 'sent', 'queued')
    else await move(command, 'sent', 'refused', 'Remora stopped before the command ran')
  return interrupted.filter(({ body }) => body.kind === 'prompt')
}
