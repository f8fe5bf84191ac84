import { unsubscribe } from '../notifications/push.ts'
import { showBadge } from '../notifications/badge.ts'
import { useConnection } from '../state/connection.ts'
import { cache } from '../state/cache.ts'
import { local } from '../state/local.ts'
import { useOutbox } from '../state/outbox.ts'
import { api } from '../wire/api.ts'

/** Device settings and unsent prompts are kept. */
const stays = new Set(['paired', 'theme', 'text-size', 'outbox', 'install-aside'])

/** Clears cached data and drafts. */
export async function clearCache(): Promise<void> {
  await cache.clear()
  for (const key of local.keys('')) if (!stays.has(key)) local.write(key, undefined)
}

/** Unpairs this device and removes all its data. */
export async function unpairDevice(): Promise<void> {
  await unsubscribe().catch(() => {
    // The server removes the subscription with the device.
  })
  await api.delete('/api/me')
  useOutbox.setState({ unsent: [] })
  await clearCache()
  local.write('paired', undefined)
  showBadge(navigator, 0)
  useConnection.setState({ state: 'unpaired', since: Date.now() })
}
