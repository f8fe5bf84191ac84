/** Waits for all, also if one fails, so that nothing is still running when the caller gets the failure. */
export async function together(actions) {
  const failed = (await Promise.allSettled(actions)).find(({ status }) => status === 'rejected')
  if (failed) throw failed.reason
}
