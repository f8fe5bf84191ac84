import { pathToFileURL } from 'node:url'
import type { Ledger, SessionKey } from '@remora/ledger'
import { plural } from '../output/format-number.ts'
import { shellWord } from '../output/shell-word.ts'

/**
 * Describes where archived events of a session are and how to read them, so that missing events are explained.
 *
 * @example for (const line of await describeArchives(ledger, entry, 'show')) io.err(`${line}\n`)
 */
export async function describeArchives(
  ledger: Ledger,
  { agent, session }: SessionKey,
  verb: 'show' | 'forget',
): Promise<string[]> {
  const { archiveOf } = ledger
  if (archiveOf) return [`Archive: only the part of this session stored in ${archiveOf.month}.`]
  const archives = (await ledger.months?.archives({ agent, session })) ?? []
  if (archives.length === 0) return []
  const { databaseVariable } = await import('@remora/ledger')
  const commandFor = (file: string): string =>
    `${databaseVariable}=${shellWord(pathToFileURL(file).href)} remora ${verb} ${session}`
  return archives.flatMap(({ month, file, machine, events }) => [
    `${plural(events, 'event')} of this session from ${month} are in an archive: ${file} on ${machine}`,
    `  ${verb === 'show' ? 'Read' : 'Forget'} them there: ${commandFor(file)}`,
  ])
}

/** The number of archived events of all sessions. */
export async function countArchivedEvents(ledger: Ledger): Promise<number> {
  const archives = (await ledger.months?.archives()) ?? []
  return archives.reduce((sum, { events }) => sum + events, 0)
}
