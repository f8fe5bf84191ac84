import type { CommandStore } from '@remora/ledger'
import type { Command } from '@remora/protocol/plain'

/**
 * Takes commands of a session, each once. If the connection to the ledger fails during a move, its outcome is unknown:
 * `findUnconfirmed` reads it later. Only this process takes commands of the session.
 */
export class CommandTaker {
  readonly #commands: Pick<CommandStore, 'find'>
  #claimed: Command | undefined

  constructor(commands: Pick<CommandStore, 'find'>) {
    this.#commands = commands
  }

  /** @param move Moves the command from `queued` to `sent`. */
  async take(command: Command, move: () => Promise<Command | undefined>): Promise<Command | undefined> {
    try {
      return await move()
    } catch (error) {
      this.#claimed = command
      throw error
    }
  }

  /** A command that a failed `take` has moved after all. */
  async findUnconfirmed(): Promise<Command | undefined> {
    if (!this.#claimed) return undefined
    const now = await this.#commands.find(this.#claimed)
    this.#claimed = undefined
    return now?.state === 'sent' ? now : undefined
  }
}
