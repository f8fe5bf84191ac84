import { setTimeout as sleep } from 'node:timers/promises'
import { archiveAlone } from '@remora/intake'
import { getOwnNode } from '@remora/ledger'
import { RemoraError } from '@remora/protocol'
import type { Context } from '../core/context.ts'

export interface ArchiveOptions {
  /** Months that are over for longer are archived. */
  readonly keepMs: number
  /** Where to: one file for each month. */
  readonly folder: string
  /** After the start, and then again and again. */
  readonly firstMs?: number
  readonly everyMs?: number
}

/** Archives old months once a day, as long as the server runs. Where several machines shall do it, one does. */
export async function archiveMonths(context: Context, options: ArchiveOptions): Promise<void> {
  const { ledger, signal, log, remoraHome } = context
  const { keepMs, folder, firstMs = 60_000, everyMs = 86_400_000 } = options
  if (!ledger.months)
    return log('warn', 'ledger.keep does nothing here: a ledger in one file is not kept by month')
  const rest = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  // What else a start brings with it comes first.
  await rest(firstMs)
  while (!signal.aborted) {
    try {
      const { name: machine } = await getOwnNode(remoraHome)
      const archives = await archiveAlone(ledger, { keepMs, folder, machine, signal }, 'remora serve')
      for (const { month, events, file } of archives)
        log('info', 'A month was archived', { month, events, file })
    } catch (error) {
      if (signal.aborted) return
      const held = RemoraError.is(error) && error.code === 'conflict'
      log(held ? 'info' : 'error', 'Months could not be archived; the next try is tomorrow', {
        error: error instanceof Error ? error.message : String(error),
      })
    }
    await rest(everyMs)
  }
}
