import type { SessionKey } from '@remora/ledger'

/** A client that can look at something. */
export interface Viewer {
  /** The device, or the user of the machine. */
  readonly client: string
}

/**
 * Which device looks at which session now.
 *
 * @example if (!presence.isSeen({ agent: 'gemini', session })) await push(…)
 */
export class Presence {
  readonly #looking = new Map<Viewer, SessionKey>()
  readonly #listeners = new Set<(key: SessionKey) => void>()

  /** A client looks at this one now, or at none. */
  look(viewer: Viewer, key: SessionKey | undefined): void {
    if (key) this.#looking.set(viewer, key)
    else this.#looking.delete(viewer)
    if (key) for (const listener of this.#listeners) listener(key)
  }

  /** Tells of every session that somebody begins to look at, until the returned function is called. */
  on(listener: (key: SessionKey) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether anybody sees what happens there. */
  isSeen(key: SessionKey): boolean {
    return this.lookers(key).length > 0
  }

  /** The devices that look at a session. */
  lookers({ agent, session }: SessionKey): string[] {
    const found = [...this.#looking].filter(([, key]) => key.agent === agent && key.session === session)
    return [...new Set(found.map(([{ client }]) => client))]
  }
}
