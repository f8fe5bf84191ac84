import { mask } from '@remora/ledger'

export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/**
 * One line of JSON for each thing that happened, without secrets.
 *
 * @example const log = lineLog((line) => process.stderr.write(line))
 */
export function lineLog(write: (line: string) => void): Log {
  return (level, message, fields) => {
    const entry = { at: new Date().toISOString(), level, message, ...fields }
    write(`${mask(JSON.stringify(entry))}\n`)
  }
}
