import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Command } from '@remora/protocol'
import { CommandTaker } from '../host/command-taker.ts'
import { type SentLedger, forgetSent } from './sent-time.ts'

export interface MovesOptions {
  readonly ledger: SentLedger & Pick<Ledger, 'commands'>
  readonly hooks: {
    key(): SessionKey
    moved(command: Command): void
    onError(error: unknown): void
  }
  readonly signal: AbortSignal
  /** Delay before a retry if the ledger is unavailable. */
  readonly retryMs: number
}

/** Moves the commands of a session between states, and retries while the ledger is unavailable. */
export class CommandMoves {
  readonly #options: MovesOptions
  readonly #taker: CommandTaker

  constructor(options: MovesOptions) {
    this.#options = options
    this.#taker = new CommandTaker(options.ledger.commands)
  }

  take(command: Command): Promise<Command | undefined> {
    return this.#taker.take(command, () => this.move(command, 'queued', 'sent'))
  }

  findUnconfirmed(): Promise<Command | undefined> {
    return this.#taker.findUnconfirmed()
  }

  /** Records a result as soon as the ledger is available. After an abort the next server process checks again. */
  async settle(command: Command, to: Command['state'], reason?: string): Promise<void> {
    const { hooks, signal, retryMs } = this.#options
    for (let failed = false; ; failed = true) {
      try {
        const moved = await this.move(command, 'sent', to, reason)
        if (!moved && failed) await this.#reportMoved(command)
        return
      } catch (error) {
        hooks.onError(error)
        if (signal.aborted) return
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  async move(
    command: Command,
    from: Command['state'],
    to: Command['state'],
    reason?: string,
  ): Promise<Command | undefined> {
    const { ledger, hooks } = this.#options
    const moved = await ledger.commands.move(command, from, to, reason)
    if (moved) hooks.moved(moved)
    if (from === 'sent' && command.body.kind === 'prompt') await forgetSent(ledger, command)
    return moved
  }

  /** Reports a command that an earlier attempt moved. */
  async #reportMoved(command: Command): Promise<void> {
    const { ledger, hooks } = this.#options
    const found = await ledger.commands.find(command)
    if (found) hooks.moved(found)
  }
}
