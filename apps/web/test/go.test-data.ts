import type { Page } from 'playwright-core'

/** So long nothing may change on a screen that is ready, as the page itself counts time. */
const quietMs = 150
/** What never rests is ready all the same. */
const maxMs = 3_000

/** Goes there as a tap does, without loading the app anew, and waits until nothing is on its way any more. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await page.waitForFunction(
    () =>
      !document.querySelector('[role="status"] > .sr-only') &&
      [...document.querySelectorAll('h1')].some((each) => each.checkVisibility()),
  )
  await isQuiet(page)
}

/** Waits until the page has stopped to change. */
export async function isQuiet(page: Page): Promise<void> {
  await page.evaluate(
    ([quiet, most]) =>
      new Promise<void>((resolve) => {
        const end = (): void => {
          observer.disconnect()
          resolve()
        }
        let timer = setTimeout(end, quiet)
        const observer = new MutationObserver(() => {
          clearTimeout(timer)
          timer = setTimeout(end, quiet)
        })
        observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
        setTimeout(end, most)
      }),
    [quietMs, maxMs] as const,
  )
}
