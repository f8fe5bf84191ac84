import type { LiveInfo } from '@remora/protocol'
import type { Demo } from '@remora/protocol/api'
import { create } from 'zustand'
import { local } from '../state/local.ts'
import { ApiError, api } from '../wire/api.ts'

const pollMs = 700

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

let running: Promise<LiveInfo | undefined> | undefined

/**
 * Starts the demo or waits for a running start. Resolves with its session, or with undefined on failure; the store
 * then has the error.
 *
 * @example const live = await startDemo()
 */
export function startDemo(): Promise<LiveInfo | undefined> {
  running ??= run().finally(() => (running = undefined))
  return running
}

async function run(): Promise<LiveInfo | undefined> {
  useDemo.setState({ demo: { state: 'starting' } })
  const over = new AbortController()
  try {
    // A phone may lose the connection before the response, so the state is polled too.
    const live = await Promise.race([
      api.post('/api/demo', { body: {} }).catch(ignoreNetworkError),
      pollDemo(over.signal),
    ])
    local.write('demo', live.id)
    useDemo.setState({ demo: { state: 'ready', live }, live: live.id })
    return live
  } catch (error) {
    const { code, message, hint } =
      error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error))
    useDemo.setState({ demo: { state: 'failed', error: { code, message, hint } } })
    return undefined
  } finally {
    over.abort()
  }
}

/** After a ignoreNetworkError connection, polling finds the result. */
function ignoreNetworkError(error: unknown): Promise<LiveInfo> {
  if (error instanceof ApiError && error.code === 'network') return new Promise(() => {})
  throw error
}

async function pollDemo(signal: AbortSignal): Promise<LiveInfo> {
  for (let misses = 0; ;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    if (signal.aborted) return new Promise(() => {})
    const demo = await api.get('/api/demo', { signal }).catch((error: unknown) => {
      // The response to the start request has the better error.
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
