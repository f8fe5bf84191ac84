/** How long the action may be delayed while the browser is busy. */
const longestMs = 2_000

/**
 * Runs an action when the browser is idle. Returns a function that cancels it.
 *
 * @example useEffect(() => whenIdle(() => void loadMore()), [])
 */
export function whenIdle(action: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(action, { timeout: longestMs })
    return () => cancelIdleCallback(handle)
  }
  // Safari does not support requestIdleCallback.
  const timer = setTimeout(action, longestMs / 4)
  return () => clearTimeout(timer)
}
