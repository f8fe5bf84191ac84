import type { Ledger, SessionKey } from '@remora/ledger'
import type { SessionInfo } from '@remora/protocol/api'

/** Where the rest of a session lies, if months of it were taken out: what is missing must not look as if it had never been. */
export async function archivesOf(
  { months }: Ledger,
  { agent, session }: SessionKey,
): Promise<Pick<SessionInfo, 'archives'>> {
  const found = (await months?.archives({ agent, session })) ?? []
  if (found.length === 0) return {}
  return { archives: found.map(({ month, machine, file, events }) => ({ month, machine, file, events })) }
}
