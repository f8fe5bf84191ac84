/** Waits for all actions even if one fails, so that none is running when the caller gets the failure. */
export async function together(actions) {
  const failed = (await Promise.allSettled(actions)).find(({ status }) => status === 'rejected')
  if (failed) throw failed.reason
}
