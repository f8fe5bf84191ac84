import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { type Log, lineLog } from '../core/log.ts'

const longestLog = 1024 * 1024

/** Writes to a file of bounded length: what is older gives way. @example const log = hostLog('/home/me/.remora/logs/host-l-1.log') */
export function hostLog(file: string): Log {
  return lineLog((line) => {
    try {
      const handle = openSync(file, 'a', 0o600)
      try {
        if (fstatSync(handle).size > longestLog) ftruncateSync(handle)
        writeSync(handle, line)
      } finally {
        closeSync(handle)
      }
    } catch {
      // No disk, or no folder any more: the work goes on without a log.
    }
  })
}
