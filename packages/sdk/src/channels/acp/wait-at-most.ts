/** Awaits a promise up to a timeout, then returns undefined. @example await waitAtMost(tree.exited, 2_000) */
export async function waitAtMost<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, withinMs, undefined)))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
