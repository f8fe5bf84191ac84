import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Command, type CommandBody, type CommandState, RemoraError } from '@remora/protocol/plain'
import { CommandTaker } from './command-taker.ts'
import { storeMedia } from './store-media.ts'
import type { Log } from '../core/log.ts'
import type { HostAgent } from './host-agent.ts'
import type { HostEvents } from './host-events.ts'
import { getPromptKind, promptParts } from './prompt-parts.ts'
import { type SentMark, sentMark } from './recover-commands.ts'

export interface QueueOptions {
  readonly remoraHome: string
  readonly ledger: Pick<Ledger, 'append' | 'changed' | 'commands' | 'head' | 'node'>
  readonly key: SessionKey
  /** The live id, which clients use until they know the agent's own id. */
  readonly earlier: SessionKey
  readonly agent: HostAgent
  readonly events: HostEvents
  readonly log: Log
  /** Resolves when all events so far are stored. */
  readonly stored: () => Promise<void>
  /** Ends the session; its end settles the command. */
  readonly end: () => void
}

/** Delay before a retry if the ledger is unavailable. */
const retryMs = 500

/** Runs the commands of a session from the ledger: prompts in order, each after the turn before. */
export class CommandQueue {
  readonly #options: QueueOptions
  /** The turn under way. */
  #turn: Promise<void> | undefined
  #checking: Promise<void> | undefined
  #again = false
  #signal: AbortSignal | undefined
  readonly #taker: CommandTaker

  constructor(options: QueueOptions) {
    this.#options = options
    this.#taker = new CommandTaker(options.ledger.commands)
  }

  /** Runs commands until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, log } = this.#options
    this.#signal = signal
    while (!signal.aborted) {
      // Subscribes before the check, so that no change is missed.
      const woken = new AbortController()
      const changed = ledger.changed(AbortSignal.any([signal, woken.signal]))
      try {
        await this.check()
        await changed
      } catch (error) {
        log('warn', 'Cannot read commands', { error: (error as Error).message })
        woken.abort()
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
    await this.#turn
  }

  /** Runs queued commands, if there are any. */
  check(): Promise<void> {
    if (this.#checking) this.#again = true
    else this.#checking = this.#checkAll()
    return this.#checking
  }

  /** Refuses queued commands when the session ends. */
  async refuseAll(reason: string): Promise<void> {
    const { ledger, key } = this.#options
    for (const command of await ledger.commands.list({ session: key, state: 'queued' }))
      if (command.body.kind === 'end') await ledger.commands.move(command, 'queued', 'sent')
      else await ledger.commands.move(command, 'queued', 'refused', reason)
    for (const command of await ledger.commands.list({ session: key, state: 'sent' }))
      if (command.body.kind === 'end' || command.body.kind === 'prompt')
        await ledger.commands.move(command, 'sent', 'done')
      else await ledger.commands.move(command, 'sent', 'refused', reason)
  }

  async #checkAll(): Promise<void> {
    try {
      do {
        this.#again = false
        await this.#checkOnce()
      } while (this.#again && !this.#signal?.aborted)
    } finally {
      // In the same tick as the last read of `again`, so that no call is missed.
      this.#checking = undefined
    }
  }

  async #checkOnce(): Promise<void> {
    const { ledger, key, earlier, agent } = this.#options
    if ((await ledger.commands.list({ session: earlier, state: 'queued' })).length > 0)
      await ledger.commands.rekey(earlier, key)
    const before = await this.#taker.findUnconfirmed()
    if (before) await this.#execute(before)
    for (const command of await ledger.commands.list({ session: key, state: 'queued' })) {
      if (this.#signal?.aborted) return
      if (command.body.kind !== 'prompt') {
        const taken = await this.#take(command)
        if (taken) await this.#execute(taken)
      } else if (!this.#turn && agent.ready) await this.#begin(command)
    }
  }

  /** Sends a prompt to the agent and does not wait for its turn. */
  async #begin(command: Command): Promise<void> {
    const { ledger } = this.#options
    // The cursor before the prompt, from which the next host checks whether the agent got it.
    const mark = sentMark(command)
    const before: SentMark = { ...(await ledger.head()), at: Date.now() }
    await ledger.append([], { marks: { [mark]: before } })
    // Compare-and-set: only the winner of queued→sent runs it, with its current text.
    const taken = await this.#take(command)
    if (taken) await this.#execute(taken)
    else await ledger.append([], { marks: { [mark]: undefined } })
  }

  #take(command: Command): Promise<Command | undefined> {
    const { ledger } = this.#options
    return this.#taker.take(command, () => ledger.commands.move(command, 'queued', 'sent'))
  }

  async #execute(taken: Command): Promise<void> {
    const { body } = taken
    if (body.kind === 'prompt') this.#prompt(taken, body)
    // Not awaited: the agent may stop slowly, and other commands must not wait.
    else if (body.kind === 'cancel') void this.#do(taken)
    else await this.#do(taken)
  }

  #prompt(taken: Command, body: Extract<CommandBody, { kind: 'prompt' }>): void {
    const { ledger, agent, remoraHome } = this.#options
    const mark = sentMark(taken)
    const send = async (): Promise<Awaited<ReturnType<HostAgent['prompt']>>> => {
      try {
        // Another machine sends files as bytes.
        const { content } = ledger.node === undefined ? body : await storeMedia(remoraHome, body)
        return await agent.prompt(promptParts(content), getPromptKind(body))
      } catch (error) {
        return { taken: false, failure: error as RemoraError }
      }
    }
    this.#turn = send()
      .then(async (turn) => {
        const refused = !turn.taken && turn.failure !== undefined
        // A client that sees `done` finds the whole answer in the ledger.
        await this.#options.stored().catch(() => {})
        await this.#settle(taken, refused ? 'refused' : 'done', refused ? getReason(turn.failure) : undefined)
        await ledger.append([], { marks: { [mark]: undefined } }).catch(() => {})
      })
      .finally(() => {
        this.#turn = undefined
        if (!this.#signal?.aborted) void this.check().catch(() => {})
      })
  }

  async #do(command: Command): Promise<void> {
    const { body } = command
    const { agent, events, end } = this.#options
    try {
      switch (body.kind) {
        case 'cancel':
          if (!(await agent.cancel())) throw new RemoraError('conflict', 'No turn is running')
          break
        case 'mode':
          if (!(await agent.choose('mode', body.mode)))
            await events.status('mode', { value: agent.info().mode })
          break
        case 'model':
          if (!(await agent.choose('model', body.model)))
            await events.status('model', { value: agent.info().model })
          break
        case 'end':
          // Done when it has ended.
          end()
          return
        default:
          throw new RemoraError('usage', `Unsupported command "${body.kind}"`, {
            hint: 'Answer the request itself.',
          })
      }
      await this.#settle(command, 'done')
    } catch (error) {
      await this.#settle(command, 'refused', getReason(error as Error))
    }
  }

  /** Records a result as soon as the ledger is available. */
  async #settle(command: Command, to: CommandState, reason?: string): Promise<void> {
    const { ledger, log } = this.#options
    for (;;) {
      try {
        await ledger.commands.move(command, 'sent', to, reason)
        return
      } catch (error) {
        log('warn', 'Cannot settle a command', {
          command: command.id,
          error: (error as Error).message,
        })
        if (this.#signal?.aborted) return
        await sleep(retryMs)
      }
    }
  }
}

function getReason(
  failure: { readonly message: string; readonly hint?: string | undefined } | undefined,
): string {
  if (!failure) return 'The agent rejected it'
  return failure.hint ? `${failure.message}. ${failure.hint}` : failure.message
}
