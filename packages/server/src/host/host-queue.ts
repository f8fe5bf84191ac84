import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Command, RemoraError } from '@remora/protocol/plain'
import { type CommandDriver, CommandExecutor, type PromptBody, formatReason } from './command-executor.ts'
import { storeMedia } from './store-media.ts'
import type { Log } from '../core/log.ts'
import type { HostAgent } from './host-agent.ts'
import type { HostEvents } from './host-events.ts'
import { getPromptKind, toPromptParts } from './prompt-parts.ts'
import { type SentMark, getSentMark } from './recover-commands.ts'

export interface QueueOptions {
  readonly remoraHome: string
  readonly ledger: Pick<Ledger, 'append' | 'changed' | 'commands' | 'head' | 'node'>
  readonly key: SessionKey
  /** The live id, which clients use until they know the agent's own id. */
  readonly earlier: SessionKey
  readonly agent: HostAgent
  readonly events: HostEvents
  readonly log: Log
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
  /** Resolves when all events so far are stored. */
  readonly stored: () => Promise<void>
  /** Ends the session; its end settles the command. */
  readonly end: () => void
}

/** Delay before a retry if the ledger is unavailable. */
const retryMs = 500

/** Runs the commands for an agent over ACP: prompts in order, each after the turn before. */
export class HostQueue {
  readonly #options: QueueOptions
  readonly #executor: CommandExecutor
  /** The turn under way. */
  #turn: Promise<void> | undefined

  constructor(options: QueueOptions) {
    this.#options = options
    const { ledger, key, signal, log } = options
    this.#executor = new CommandExecutor(
      {
        ledger,
        key: () => key,
        signal,
        retryDelay: () => sleep(retryMs),
        onSettleError: (error, command) =>
          log('warn', 'Cannot settle a command', {
            command: command.id,
            error: (error as Error).message,
          }),
      },
      this.#createDriver(),
    )
  }

  /** Runs commands until the session ends. */
  async run(): Promise<void> {
    const { ledger, log, signal } = this.#options
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
    return this.#executor.check()
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

  #createDriver(): CommandDriver {
    const { ledger, key, earlier, agent, events, end } = this.#options
    return {
      async beforeCheck() {
        if ((await ledger.commands.list({ session: earlier, state: 'queued' })).length > 0)
          await ledger.commands.rekey(earlier, key)
      },
      choose: (queued) => queued.find(({ body }) => body.kind !== 'prompt' || (!this.#turn && agent.ready)),
      async beforePrompt(command) {
        // The cursor before the prompt, from which the next host checks whether the agent got it.
        const before: SentMark = { ...(await ledger.head()), at: Date.now() }
        await ledger.append([], { marks: { [getSentMark(command)]: before } })
      },
      promptNotTaken: async (command) => {
        await ledger.append([], { marks: { [getSentMark(command)]: undefined } })
      },
      prompt: async (command, body) => this.#startTurn(command, body),
      // The agent may stop slowly.
      cancelsInBackground: true,
      async cancel() {
        if (!(await agent.cancel())) throw new RemoraError('conflict', 'No turn is running')
      },
      async setMode(mode) {
        if (!(await agent.choose('mode', mode))) await events.status('mode', { value: agent.info().mode })
      },
      async setModel(model) {
        if (!(await agent.choose('model', model))) await events.status('model', { value: agent.info().model })
      },
      async end() {
        end()
        return 'later'
      },
    }
  }

  /** Sends a prompt to the agent and does not wait for its turn. */
  #startTurn(taken: Command, body: PromptBody): void {
    const { ledger, agent, remoraHome, signal } = this.#options
    const send = async (): Promise<Awaited<ReturnType<HostAgent['prompt']>>> => {
      try {
        // Another machine sends files as bytes.
        const { content } = ledger.node === undefined ? body : await storeMedia(remoraHome, body)
        return await agent.prompt(toPromptParts(content), getPromptKind(body))
      } catch (error) {
        return { taken: false, failure: error as RemoraError }
      }
    }
    this.#turn = send()
      .then(async ({ taken: isTaken, failure }) => {
        // A client that sees `done` finds the whole answer in the ledger.
        await this.#options.stored().catch(() => {})
        if (!isTaken && failure) await this.#executor.settle(taken, 'refused', formatReason(failure))
        else await this.#executor.settle(taken, 'done')
        await ledger.append([], { marks: { [getSentMark(taken)]: undefined } }).catch(() => {})
      })
      .finally(() => {
        this.#turn = undefined
        if (!signal.aborted) void this.check().catch(() => {})
      })
  }
}
