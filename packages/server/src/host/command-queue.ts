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
  /** Under which commands may still come from those who do not know the agent's own id yet. */
  readonly earlier: SessionKey
  readonly agent: HostAgent
  readonly events: HostEvents
  readonly log: Log
  /** Settles when all that was told so far is stored. */
  readonly stored: () => Promise<void>
  /** Somebody wants it to end; settles the command when it has. */
  readonly end: () => void
}

/** How long to wait before it is tried again where the ledger cannot be written. */
const retryMs = 500

/** Does what surfaces want of the session, as it stands in the ledger: prompts in order, each when the one before is over. */
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

  /** Does commands as they come, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, log } = this.#options
    this.#signal = signal
    while (!signal.aborted) {
      // Before looking, so that what comes meanwhile is not missed.
      const woken = new AbortController()
      const changed = ledger.changed(AbortSignal.any([signal, woken.signal]))
      try {
        await this.check()
        await changed
      } catch (error) {
        log('warn', 'the commands could not be read', { error: (error as Error).message })
        woken.abort()
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
    await this.#turn
  }

  /** There may be something to do. */
  check(): Promise<void> {
    if (this.#checking) this.#again = true
    else this.#checking = this.#checkAll()
    return this.#checking
  }

  /** What waits when the session ends will never be said. */
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
      // In the same breath as the last look at `again`: who comes between would be heard by nobody.
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

  /** Hands a prompt to the agent; its turn goes on by itself. */
  async #begin(command: Command): Promise<void> {
    const { ledger } = this.#options
    // Where the ledger stood before, so that one who comes after us knows whether the agent was told.
    const mark = sentMark(command)
    const before: SentMark = { ...(await ledger.head()), at: Date.now() }
    await ledger.append([], { marks: { [mark]: before } })
    // Whoever moves it does it, with the words as they are now; withdrawn meanwhile, it is nobody's.
    const taken = await this.#take(command)
    if (taken) await this.#execute(taken)
    else await ledger.append([], { marks: { [mark]: undefined } })
  }

  #take(command: Command): Promise<Command | undefined> {
    const { ledger } = this.#options
    return this.#taker.take(command, () => ledger.commands.move(command, 'queued', 'sent'))
  }

  /** With what is ours. */
  async #execute(taken: Command): Promise<void> {
    const { body } = taken
    if (body.kind === 'prompt') this.#prompt(taken, body)
    // Not waited for: an agent may take its time to stop, and others have wishes too.
    else if (body.kind === 'cancel') void this.#do(taken)
    else await this.#do(taken)
  }

  #prompt(taken: Command, body: Extract<CommandBody, { kind: 'prompt' }>): void {
    const { ledger, agent, remoraHome } = this.#options
    const mark = sentMark(taken)
    const send = async (): Promise<Awaited<ReturnType<HostAgent['prompt']>>> => {
      try {
        // From another machine files come as bytes: here they are files again.
        const { content } = ledger.node === undefined ? body : await storeMedia(remoraHome, body)
        return await agent.prompt(promptParts(content), getPromptKind(body))
      } catch (error) {
        return { taken: false, failure: error as RemoraError }
      }
    }
    this.#turn = send()
      .then(async (turn) => {
        const refused = !turn.taken && turn.failure !== undefined
        // Whoever sees that it is done finds all that was said.
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

  /** What has happened has happened: it is noted as soon as the ledger takes it. */
  async #settle(command: Command, to: CommandState, reason?: string): Promise<void> {
    const { ledger, log } = this.#options
    for (;;) {
      try {
        await ledger.commands.move(command, 'sent', to, reason)
        return
      } catch (error) {
        log('warn', 'a command could not be settled', {
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
