import type { CommandStore } from '@remora/ledger'
import type { Command } from '@remora/protocol/plain'

/**
 * Makes commands of a session ours, each once. Where the ledger was lost on the way back, nobody knows whether one is: then
 * `findUnconfirmed` tells, since nobody else takes the commands of this session.
 */
export class CommandTaker {
  readonly #commands: Pick<CommandStore, 'find'>
  #claimed: Command | undefined

  constructor(commands: Pick<CommandStore, 'find'>) {
    this.#commands = commands
  }

  /** With what moves the command. */
  async take(command: Command, move: () => Promise<Command | undefined>): Promise<Command | undefined> {
    try {
      return await move()
    } catch (error) {
      this.#claimed = command
      throw error
    }
  }

  /** The command that was taken and of which we were not told so, if there is one. */
  async findUnconfirmed(): Promise<Command | undefined> {
    if (!this.#claimed) return undefined
    const now = await this.#commands.find(this.#claimed)
    this.#claimed = undefined
    return now?.state === 'sent' ? now : undefined
  }
}
