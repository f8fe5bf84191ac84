import type { LiveInfo } from '@remora/protocol'
import type { Demo } from '@remora/protocol/api'
import { create } from 'zustand'
import { local } from '../state/local.ts'
import { ApiError, api } from '../wire/api.ts'

const lookMs = 700

interface DemoStore {
  /** The progress while the demo starts. */
  readonly demo: Demo | undefined
  readonly isOpen: boolean
  /** The live session of the last demo, which shows the first steps. */
  readonly live: string | undefined
}

export const useDemo = create<DemoStore>(() => ({
  demo: undefined,
  isOpen: false,
  live: local.read<string>('demo'),
}))

let underWay: Promise<LiveInfo | undefined> | undefined

/**
 * Starts the demo or waits for a running start. Resolves with its session, or with undefined on failure; the store
 * then has the error.
 *
 * @example const live = await startDemo()
 */
export function startDemo(): Promise<LiveInfo | undefined> {
  underWay ??= run().finally(() => (underWay = undefined))
  return underWay
}

async function run(): Promise<LiveInfo | undefined> {
  useDemo.setState({ demo: { state: 'starting' } })
  const over = new AbortController()
  try {
    // The answer may take longer than a phone holds a connection: who looks in between finds it too.
    const live = await Promise.race([api.post('/api/demo', { body: {} }).catch(lost), look(over.signal)])
    local.write('demo', live.id)
    useDemo.setState({ demo: { state: 'ready', live }, live: live.id })
    return live
  } catch (error) {
    const { code, message, hint } =
      error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error))
    const failure = { code, message, ...(hint === undefined ? {} : { hint }) }
    useDemo.setState({ demo: { state: 'failed', error: failure } })
    return undefined
  } finally {
    over.abort()
  }
}

/** A lost connection says nothing about the demo. Then only polling counts. */
function lost(error: unknown): Promise<LiveInfo> {
  if (error instanceof ApiError && error.code === 'network') return new Promise(() => {})
  throw error
}

async function look(signal: AbortSignal): Promise<LiveInfo> {
  for (let misses = 0; ;) {
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    if (signal.aborted) return new Promise(() => {})
    const demo = await api.get('/api/demo', { signal }).catch((error: unknown) => {
      // The answer to what was asked first tells more than this one.
      if (!signal.aborted && ++misses > 20) throw error
      return undefined
    })
    if (!demo || signal.aborted) continue
    misses = 0
    if (demo.state === 'ready' && demo.live) return demo.live
    if (demo.state === 'failed')
      throw new ApiError(500, demo.error?.code ?? 'unknown', demo.error?.message ?? '', demo.error?.hint)
    if (demo.state !== 'none') useDemo.setState({ demo })
  }
}
