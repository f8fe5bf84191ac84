import { type Archive, type ArchiveOptions, type Ledger, archiveMonths, getMonths } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import { keepLease } from './lease.ts'

/** One lease for all machines that share the ledger, because they share its months. */
const leaseName = 'archive'

/**
 * Archives old months unless another process does so now, on this or another machine; then throws `conflict`.
 *
 * @example await archiveAlone(ledger, { folder, keepMs: 90 * 86_400_000, machine: 'desk' }, 'remora data archive')
 */
export async function archiveAlone(
  ledger: Ledger,
  options: ArchiveOptions,
  what: string,
): Promise<Archive[]> {
  getMonths(ledger)
  const kept = await keepLease(ledger, leaseName, what)
  if ('heldBy' in kept) {
    const { what: doing, pid, host } = kept.heldBy
    throw new RemoraError(
      'conflict',
      `Months are being archived already (${doing}, process ${pid} on ${host})`,
      {
        hint: 'List the archives: remora data archives',
      },
    )
  }
  try {
    const signal = options.signal ? AbortSignal.any([options.signal, kept.lost]) : kept.lost
    return await archiveMonths(ledger, { ...options, signal })
  } finally {
    await kept.release()
  }
}
