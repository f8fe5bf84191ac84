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
