import { unsubscribe } from '../notifications/push.ts'
import { showBadge } from '../notifications/badge.ts'
import { useConnection } from '../state/connection.ts'
import { cache } from '../state/cache.ts'
import { local } from '../state/local.ts'
import { useOutbox } from '../state/outbox.ts'
import { api } from '../wire/api.ts'

/** What a person set for this device stays, and so does what still has to be sent. */
const stays = new Set(['paired', 'theme', 'text-size', 'outbox', 'install-aside'])

/** Copies of what the computer has, and drafts. */
export async function clearCache(): Promise<void> {
  await cache.clear()
  for (const key of local.keys('')) if (!stays.has(key)) local.write(key, undefined)
}

/** This device gets in no more, and nothing of what it knew is left on it. */
export async function leave(): Promise<void> {
  await unsubscribe().catch(() => {
    // The server forgets it with the device.
  })
  await api.delete('/api/me')
  useOutbox.setState({ unsent: [] })
  await clearCache()
  local.write('paired', undefined)
  showBadge(navigator, 0)
  useConnection.setState({ state: 'unpaired', since: Date.now() })
}
