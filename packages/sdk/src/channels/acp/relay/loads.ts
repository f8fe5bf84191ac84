import type { ProtectedResume, Problem } from '../../../contract/agent.ts'
import { asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import type { FoundAgent } from '../found-agent.ts'

/** The delay after which the user is told why nothing happens. */
const silentMs = 500

/** Protects sessions that the editor lets the agent load, because some agents damage them. */
export class RelayLoads {
  readonly #found: FoundAgent
  readonly #signal: AbortSignal
  readonly #log: (text: string) => void
  readonly #protections: ProtectedResume[] = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #over = new AbortController()

  constructor(found: FoundAgent, signal: AbortSignal, log: (text: string) => void) {
    this.#found = found
    this.#signal = signal
    this.#log = log
  }

  /** Whether a message makes the agent load a session. */
  static concerns({ method }: AgentRecord): boolean {
    return method === 'session/load' || method === 'session/resume'
  }

  /** Resolves when a request may be forwarded, which can take a minute; with a reason if it must not be. */
  async protect({ params }: AgentRecord): Promise<string | undefined> {
    const { title, place, protect } = this.#found
    const { sessionId, cwd } = asRecord(params) ?? {}
    const session = asString(sessionId)
    if (session === undefined) return undefined
    const waiting = setTimeout(
      () => this.#log(`remora: ${title} can load ${session} safely within a minute; waiting\n`),
      silentMs,
    )
    const where = { ...place, cwd: asString(cwd) ?? place.cwd }
    try {
      const signal = AbortSignal.any([this.#signal, this.#over.signal])
      const protecting = protect(where, session, signal)
      this.#pending.add(protecting)
      this.#protections.push(await protecting.finally(() => this.#pending.delete(protecting)))
      return undefined
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `The session was not loaded, since it could not be protected: ${why}`
    } finally {
      clearTimeout(waiting)
    }
  }

  /** Call it when the agent has ended. Returns the problems of the sessions. */
  async finish(): Promise<Problem[]> {
    // A session that is still being protected has a copy or will have one.
    this.#over.abort()
    await Promise.allSettled(this.#pending)
    await Promise.resolve()
    return (await Promise.all(this.#protections.map((each) => each.finish()))).flat()
  }
}
