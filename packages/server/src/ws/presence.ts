import type { SessionKey } from '@remora/ledger'

/** A connected client. */
export interface Viewer {
  /** The device, or the user of the machine. */
  readonly client: string
}

/**
 * The session that each client shows.
 *
 * @example if (!presence.isViewed({ agent: 'gemini', session })) await push(…)
 */
export class Presence {
  readonly #views = new Map<Viewer, SessionKey>()
  readonly #listeners = new Set<(key: SessionKey) => void>()

  /** Sets the session that a client shows, or undefined for none. */
  setView(viewer: Viewer, key: SessionKey | undefined): void {
    if (key) this.#views.set(viewer, key)
    else this.#views.delete(viewer)
    if (key) for (const listener of this.#listeners) listener(key)
  }

  /** Notifies of every session that a client opens, until the returned function is called. */
  on(listener: (key: SessionKey) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  isViewed(key: SessionKey): boolean {
    return this.listViewers(key).length > 0
  }

  /** The devices that show a session. */
  listViewers({ agent, session }: SessionKey): string[] {
    const found = [...this.#views].filter(([, key]) => key.agent === agent && key.session === session)
    return [...new Set(found.map(([{ client }]) => client))]
  }
}
