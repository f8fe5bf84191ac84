import {
  type ModeLike,
  findMode,
  getModeName,
  isSelfApproving,
  mainModes,
  toModeLike,
} from '@remora/protocol/plain'
import type { AgentMode } from '../../contract/agent.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import type { Choices } from './choices.ts'

/** Ids that agents use for the main modes, for modes of which only the id is known. */
const commonIds: Readonly<Record<ModeLike, readonly string[]>> = {
  ask: ['default', 'ask', 'manual', 'normal', 'build', 'code'],
  acceptEdits: ['acceptEdits', 'autoEdit', 'auto-edit', 'auto_edit', 'accept-edits'],
  plan: ['plan', 'read-only'],
  auto: ['auto'],
  bypass: ['bypassPermissions', 'yolo', 'full-access', 'bypass'],
}

/** The modes of an agent that lists none. */
const commonModes: readonly AgentMode[] = Object.entries(commonIds).map(([like, acp]) => ({
  id: acp[0]!,
  label: acp[0]!,
  like: like as ModeLike,
  acp,
}))

/** The modes of a session, by the agent's ids over ACP and by the names that we store and accept. */
export class SessionModes {
  readonly #title: string
  readonly #ids: readonly string[]
  /** The modes that the session can be in, with their labels. */
  readonly list: readonly AgentMode[]

  /** `known` are the modes of the agent; without them, the modes are what the session offers. */
  constructor(title: string, known: readonly AgentMode[] | undefined, offered: Choices['offered']) {
    this.#title = title
    this.#ids = offered.map(({ id }) => id)
    const listed = known ?? (offered.length === 0 ? commonModes : [])
    const others = offered.filter(({ id }) => !listed.some((mode) => listIds(mode).includes(id)))
    this.list = [
      ...listed.filter((mode) => offered.length === 0 || this.#pickId(mode) !== undefined),
      ...others.map(({ id, name }) => ({ id, label: name, like: guessLike(id) })),
    ]
  }

  /**
   * Gets the agent's id of a mode: the first that it offers, or an id of the agent unchanged. Throws for a main mode that
   * the agent does not have, if it has another one with that id.
   *
   * @example new SessionModes('Codex', modes, offered).toId('ask') // 'read-only'
   */
  toId(word: string): string {
    const mode = findMode(this.list, word)
    if (mode) return this.#pickId(mode) ?? listIds(mode)[0] ?? mode.id
    if (toModeLike(word) !== undefined && this.#ids.includes(word))
      throw createUnsupportedError(this.#title, `the mode ${word}`, `It offers: ${this.#ids.join(', ')}`)
    return word
  }

  /** Gets the name of the mode with this id, or the id itself. */
  toName(id: string): string {
    const mode = this.#find(id)
    return mode ? getModeName(this.list, mode) : id
  }

  /** Gets the name of a mode by any of its names. */
  normalize(word: string): string {
    const mode = findMode(this.list, word)
    if (mode) return getModeName(this.list, mode)
    const like = toModeLike(word)
    return mainModes.find((name) => like !== undefined && toModeLike(name) === like) ?? word
  }

  /** Whether the agent runs tools without asking in the mode with this id. */
  isSelfApproving(id: string): boolean {
    return isSelfApproving(this.#find(id) ?? { id })
  }

  #find(id: string): AgentMode | undefined {
    return this.list.find((mode) => listIds(mode).includes(id))
  }

  #pickId(mode: AgentMode): string | undefined {
    return listIds(mode).find((id) => this.#ids.includes(id))
  }
}

/** The ids of a mode over ACP. @example listIds({ id: 'auto_edit', label: 'Auto edit', acp: 'autoEdit' }) // ['autoEdit'] */
export function listIds({ id, acp = id }: AgentMode): readonly string[] {
  return typeof acp === 'string' ? [acp] : acp
}

function guessLike(id: string): ModeLike | undefined {
  return commonModes.find((mode) => listIds(mode).includes(id))?.like
}
