import type { Page } from 'playwright-core'

/** How long a ready screen must not change. */
const quietMs = 150
/** A screen that keeps changing counts as ready after this time. */
const maxMs = 3_000

/** Navigates like a tap, without reloading the app, and waits until the page is quiet. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await page.waitForFunction(
    () =>
      !document.querySelector('[role="status"] > .sr-only') &&
      [...document.querySelectorAll('h1')].some((each) => each.checkVisibility()),
  )
  await isQuiet(page)
}

/** Waits until the page has stopped changing. */
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
