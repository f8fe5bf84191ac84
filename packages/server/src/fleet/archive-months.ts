import { setTimeout as sleep } from 'node:timers/promises'
import { archiveAlone } from '@remora/intake'
import { getOwnNode } from '@remora/ledger'
import { RemoraError } from '@remora/protocol'
import type { Context } from '../core/context.ts'

export interface ArchiveOptions {
  /** Months that ended longer ago are archived. */
  readonly keepMs: number
  /** The folder of the archives, one file for each month. */
  readonly folder: string
  /** Delay of the first run, and interval of the others. */
  readonly firstMs?: number
  readonly everyMs?: number
}

/** Archives old months once a day while the server runs. A lease lets one of several machines do it. */
export async function archiveMonths(context: Context, options: ArchiveOptions): Promise<void> {
  const { ledger, signal, log, remoraHome } = context
  const { keepMs, folder, firstMs = 60_000, everyMs = 86_400_000 } = options
  if (!ledger.months)
    return log('warn', 'ledger.keep has no effect: a ledger in one file is not split by month')
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  // Delayed, so that other work of the start runs first.
  await pause(firstMs)
  while (!signal.aborted) {
    try {
      const { name: machine } = await getOwnNode(remoraHome)
      const archives = await archiveAlone(ledger, { keepMs, folder, machine, signal }, 'remora serve')
      for (const { month, events, file } of archives) log('info', 'Month archived', { month, events, file })
    } catch (error) {
      if (signal.aborted) return
      const held = RemoraError.is(error) && error.code === 'conflict'
      log(held ? 'info' : 'error', 'Cannot archive months. Retrying tomorrow', {
        error: error instanceof Error ? error.message : String(error),
      })
    }
    await pause(everyMs)
  }
}
