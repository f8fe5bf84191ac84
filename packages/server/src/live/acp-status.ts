import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Cursor } from '@remora/protocol/plain'

/** The last reported commands and context usage of an agent over ACP. */
export interface AcpStatus {
  readonly commands?: unknown
  readonly context?: unknown
}

interface Known extends AcpStatus {
  readonly cursor: Cursor | undefined
}

const sessions = new WeakMap<object, Map<string, Known>>()
const kept = 20

/** Reads the new events since the last call. @example const { commands } = await readAcpStatus(ledger, key) */
export async function readAcpStatus(ledger: Pick<Ledger, 'read'>, key: SessionKey): Promise<AcpStatus> {
  const all = sessions.get(ledger) ?? new Map<string, Known>()
  sessions.set(ledger, all)
  const name = JSON.stringify([key.agent, key.session])
  let known: Known = all.get(name) ?? { cursor: undefined }
  for (;;) {
    const { cursor: after } = known
    const page = await ledger.read({ session: key, limit: 1_000, ...(after ? { after } : {}) })
    if (page.gap) known = { cursor: undefined }
    for (const { event } of page.events) {
      if (event.type !== 'status') continue
      if (event.status === 'commands') known = { ...known, commands: event.value }
      if (event.status === 'working' && event.detail === 'context') known = { ...known, context: event.value }
    }
    known = { ...known, cursor: page.cursor }
    if (page.events.length === 0) break
    await yieldToLoop()
  }
  all.delete(name)
  all.set(name, known)
  const [oldest] = all.keys()
  if (all.size > kept && oldest !== undefined) all.delete(oldest)
  return known
}
