import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The axe violations of the page or a part of it, each with its first location. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  return page.evaluate(async (part) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: string,
          options: { resultTypes: string[] },
        ): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>
      }
    }
    // Reporting only violations saves most of the work.
    const result = await axe.run(part, { resultTypes: ['violations'] })
    return result.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 300)}`)
  }, within)
}

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
