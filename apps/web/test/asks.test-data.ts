import type { Page } from 'playwright-core'

/** How a request ended, and how many of its buttons were still enabled. */
export interface Outcome {
  readonly words: string
  readonly open: number
}

/**
 * Records every outcome the page shows, because each disappears before a busy machine could check.
 *
 * @example const outcomes = await noteOutcomes(page)
 */
export async function noteOutcomes(page: Page): Promise<() => Promise<Outcome[]>> {
  await page.evaluate(() => {
    const noted: Outcome[] = []
    Object.assign(globalThis, { outcomes: noted })
    const look = (): void => {
      const words = document.querySelector('[data-testid=settled]')?.textContent
      const open = document.querySelectorAll('[data-effect][aria-disabled=false]').length
      if (words !== undefined && noted.at(-1)?.words !== words) noted.push({ words, open })
      // The next request may end with the same text.
      if (words === undefined && noted.at(-1)?.words !== '') noted.push({ words: '', open })
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
  })
  return async () => {
    const noted = await page.evaluate(() => (globalThis as unknown as { outcomes: Outcome[] }).outcomes)
    return noted.filter(({ words }) => words !== '')
  }
}
