import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** One turn of the event loop that used much CPU. */
export interface LongTurn {
  readonly pid: number
  readonly at: number
  readonly cpuMs: number
}

/**
 * Measures the event loop of a server that runs as a child process.
 *
 * @example
 * const monitor = monitorLoop(join(folder, 'turns.jsonl'))
 * spawn(process.execPath, [...monitor.args, server], { env: { ...env, ...monitor.env } })
 * expect(monitor.longTurns()).toEqual([])
 */
export function monitorLoop(report: string): {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The turns that used more than 100 ms of CPU so far. */
  longTurns(): LongTurn[]
} {
  return {
    args: ['--import', fileURLToPath(new URL('loop-monitor.mjs', import.meta.url))],
    env: { REMORA_LOOP_REPORT: report },
    longTurns: () =>
      (existsSync(report) ? readFileSync(report, 'utf8').split('\n') : [])
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as LongTurn),
  }
}
