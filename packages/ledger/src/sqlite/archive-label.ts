import { RemoraError } from '@remora/protocol/plain'
import type { ArchiveLabel } from '../ledger.ts'
import type { Connection } from './connection.ts'

/** What the file is an archive of, if it is one. A new one becomes what is wanted; one that is something else is refused. */
export function readLabel(connection: Connection, wanted?: ArchiveLabel): ArchiveLabel | undefined {
  const found = connection.get<{ value: string }>(`SELECT value FROM meta WHERE name = 'archive'`)
  const label = found && (JSON.parse(found.value) as ArchiveLabel)
  if (!wanted) return label
  if (label?.epoch === wanted.epoch && label.month === wanted.month) return label
  const { head } = connection.get<{ head: number }>(`SELECT value AS head FROM meta WHERE name = 'head'`)!
  if (label || head > 0)
    throw new RemoraError('conflict', `There is another ledger already: ${connection.file}`, {
      hint: 'Choose another folder, or move it away first.',
    })
  const { epoch, month } = wanted
  connection
    .statement(`INSERT INTO meta (name, value) VALUES ('archive', ?)`)
    .run(JSON.stringify({ epoch, month }))
  return wanted
}

/** To add something would make it differ from what was compared when it was made. */
export function archiveIsWhole({ month }: ArchiveLabel, file: string): RemoraError {
  return new RemoraError('unsupported', `${file} is an archive of ${month}: nothing is added to it`, {
    hint: 'It can be read: remora sessions, remora show, remora search. For all else use the ledger that it is of.',
  })
}
