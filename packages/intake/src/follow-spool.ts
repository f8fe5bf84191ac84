import { existsSync } from 'node:fs'
import { makeSpool, spoolFolder, watchFolders } from '@remora/sdk/hooks'

const retryMs = 250

/** Whether there is something in the spool that waits to be read. */
export interface FollowedSpool {
  waiting: boolean
  /** Looks again in a moment. */
  retry(): void
}

/** Watches the spool until the signal, and calls when something has come. It is looked at once in any case. */
export async function followSpool(
  remoraHome: string | undefined,
  onEntry: () => void,
  signal: AbortSignal,
): Promise<FollowedSpool> {
  const come = (): void => {
    spool.waiting = true
    onEntry()
  }
  const spool: FollowedSpool = {
    waiting: remoraHome !== undefined,
    retry() {
      const timer = setTimeout(come, retryMs)
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    },
  }
  if (remoraHome === undefined) return spool
  makeSpool(remoraHome)
  const onChange = (path: string): void => {
    // What is taken away is told as well.
    if (path.endsWith('.ready') && existsSync(path)) come()
  }
  await watchFolders(spoolFolder(remoraHome), onChange, signal)
  return spool
}
