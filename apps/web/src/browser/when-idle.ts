/** So long it may wait where there is always something to do. */
const longestMs = 2_000

/**
 * Does what nobody waits for when the browser has nothing better to do. What it returns takes it back.
 *
 * @example useEffect(() => whenIdle(() => void lookForMore()), [])
 */
export function whenIdle(action: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(action, { timeout: longestMs })
    return () => cancelIdleCallback(handle)
  }
  // Safari has no such thing.
  const timer = setTimeout(action, longestMs / 4)
  return () => clearTimeout(timer)
}
