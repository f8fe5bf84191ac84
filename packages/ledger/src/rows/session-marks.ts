import type { SessionKey } from '../model/ledger.ts'

/** The prefixes of the marks that remember where a session can be opened. */
export function getSessionMarks({ agent, session }: SessionKey): {
  readonly head: string
  readonly keys: string
} {
  const name = JSON.stringify([agent, session])
  return { head: `checkpoint/${name}`, keys: `checkpoint-keys/${name}/` }
}
