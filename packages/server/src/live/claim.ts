import type { CommandStore, SessionKey } from '@remora/ledger'
import type { Command } from '@remora/protocol/plain'

/**
 * Makes commands of a session ours, each once. Where the ledger was lost on the way back, nobody knows whether one is: then
 * `takenBefore` tells, since nobody else takes the commands of this session.
 */
export class Claim {
  readonly #commands: Pick<CommandStore, 'list'>
  readonly #key: () => SessionKey
  #claimed: Command | undefined

  constructor(commands: Pick<CommandStore, 'list'>, key: () => SessionKey) {
    this.#commands = commands
    this.#key = key
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
  async takenBefore(): Promise<Command | undefined> {
    const claimed = this.#claimed
    if (!claimed) return undefined
    const sent = await this.#commands.list({ session: this.#key(), state: 'sent' })
    this.#claimed = undefined
    return sent.find((each) => isSame(each, claimed))
  }
}

/** A client chooses the ids of its own. */
export function isSame(one: Pick<Command, 'id' | 'client'>, other: Pick<Command, 'id' | 'client'>): boolean {
  return one.id === other.id && one.client === other.client
}
