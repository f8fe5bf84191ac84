/** Waits for all, also where one has failed: nothing goes on behind the back of whoever hears of the failure. */
export async function together(actions) {
  const failed = (await Promise.allSettled(actions)).find(({ status }) => status === 'rejected')
  if (failed) throw failed.reason
}
