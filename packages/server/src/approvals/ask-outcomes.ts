import type { CallEntry, Ledger, SessionKey } from '@remora/ledger'
import { type DialogText, type ReportedCall, scoreCall } from './join-ask.ts'

/** The outcome of a request by the agent's own records: its tool ran, or was denied. */
export type Outcome = 'allow' | 'deny'

type DialogWithTool = DialogText & { readonly tool?: string | undefined }

interface Watched {
  readonly dialog: () => DialogWithTool
  readonly call: () => ReportedCall | undefined
  readonly since: number
  outcome: Outcome | undefined
}

/** Only the latest calls of a session can belong to an open request. */
const latest = 30

/** Finds the outcomes of requests in the tool results of the ledger. Each call is the evidence for one request. */
export class AskOutcomes {
  readonly #ledger: Pick<Ledger, 'calls'>
  readonly #session: () => SessionKey
  readonly #watched = new Set<Watched>()
  readonly #claimed = new Set<number>()

  constructor(ledger: Pick<Ledger, 'calls'>, session: () => SessionKey) {
    this.#ledger = ledger
    this.#session = session
  }

  /** Watches for the outcome of a request that was shown at `since`. @example const outcome = await watch.find() */
  watch(since: number, dialog: () => DialogWithTool, call: () => ReportedCall | undefined): AskWatch {
    const watched: Watched = { dialog, call, since, outcome: undefined }
    this.#watched.add(watched)
    return {
      find: async () => {
        if (watched.outcome === undefined) await this.#claimResults()
        return watched.outcome
      },
      end: () => void this.#watched.delete(watched),
    }
  }

  /** The oldest request claims its call first, so that equal requests in a row get one result each. */
  async #claimResults(): Promise<void> {
    const calls = await this.#ledger.calls({ session: this.#session(), limit: latest })
    for (const watched of this.#watched) {
      if (watched.outcome !== undefined) continue
      let best: { readonly call: CallEntry; readonly score: number } | undefined
      for (const call of calls) {
        if (!isEnded(call) || call.endedAt < watched.since || this.#claimed.has(call.id)) continue
        if (!isSameTool(watched.call()?.tool ?? watched.dialog().tool, call.tool)) continue
        const score = scoreCall(getWholeText(watched), { tool: call.tool, input: call.input })
        if (score > (best?.score ?? 0)) best = { call, score }
      }
      if (!best) continue
      this.#claimed.add(best.call.id)
      watched.outcome = best.call.status === 'denied' ? 'deny' : 'allow'
    }
  }
}

export interface AskWatch {
  find(): Promise<Outcome | undefined>
  end(): void
}

/** A cancelled call may have been refused or stopped while it ran, so it is no evidence. */
function isEnded(call: CallEntry): call is CallEntry & { endedAt: number } {
  return call.endedAt !== undefined && call.status !== 'running' && call.status !== 'cancelled'
}

/** Dialogs show the tools that change files in the same way. Without a tool the text alone decides. */
function isSameTool(shown: string | undefined, tool: string): boolean {
  return shown === undefined || shown === tool || (changes.has(shown) && changes.has(tool))
}

const changes = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

/** With the fields that a hook reported: of a long call the screen shows a part. */
function getWholeText({ dialog, call }: Watched): DialogText {
  const { title, body = '', options = [] } = dialog()
  const fields = call()?.input
  const values = typeof fields === 'object' && fields !== null ? Object.values(fields) : []
  const texts = values.filter((value) => typeof value === 'string')
  return { title, body: [body, ...texts].join('\n'), options }
}
