import type { ProtectedResume, Problem } from '../../../contract/agent.ts'
import { asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import type { FoundAgent } from '../found-agent.ts'

/** How long it may take before a person is told why nothing happens. */
const silentMs = 500

/** Sessions that the editor lets the agent load: some agents lose those. */
export class RelayLoads {
  readonly #found: FoundAgent
  readonly #signal: AbortSignal
  readonly #tell: (text: string) => void
  readonly #protections: ProtectedResume[] = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #over = new AbortController()

  constructor(found: FoundAgent, signal: AbortSignal, tell: (text: string) => void) {
    this.#found = found
    this.#signal = signal
    this.#tell = tell
  }

  /** Whether a message makes the agent load a session. */
  static concerns({ method }: AgentRecord): boolean {
    return method === 'session/load' || method === 'session/resume'
  }

  /** Settles when a request may be passed on, which can take a minute; says why, if it may not. */
  async protect({ params }: AgentRecord): Promise<string | undefined> {
    const { title, place, protect } = this.#found
    const { sessionId, cwd } = asRecord(params) ?? {}
    const session = asString(sessionId)
    if (session === undefined) return undefined
    const waiting = setTimeout(
      () => this.#tell(`remora: ${title} can load ${session} safely within a minute; waiting\n`),
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

  /** To be called when the agent has ended; tells what it has done to the sessions. */
  async finish(): Promise<Problem[]> {
    // What is only being protected has a copy already, or will have.
    this.#over.abort()
    await Promise.allSettled(this.#pending)
    await Promise.resolve()
    return (await Promise.all(this.#protections.map((each) => each.finish()))).flat()
  }
}
