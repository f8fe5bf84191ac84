import { mask } from '@remora/ledger'

/** Writes one log line. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/**
 * Creates a log that writes each entry as a line of JSON, without secrets.
 *
 * @example const log = createLineLog((line) => process.stderr.write(line))
 */
export function createLineLog(write: (line: string) => void): Log {
  return (level, message, fields) => {
    const entry = { at: new Date().toISOString(), level, message, ...fields }
    write(`${mask(JSON.stringify(entry))}\n`)
  }
}
