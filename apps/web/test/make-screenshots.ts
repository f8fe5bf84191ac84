// Started by `npm run screenshots`: pictures of the app as it is, on a machine where agents have worked for a while.
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { buildScene } from './scene.test-data.ts'
import { type WebStage, desktop, phone, webStage } from './stage.test-data.ts'

const [folder = ''] = process.argv.slice(2)
const most = 150_000

await mkdir(folder, { recursive: true })
await using stage = await webStage({ agents: ['fake'] })
const scene = await buildScene(stage)

const layouts = [
  ['phone-light', phone, 'light'],
  ['phone-dark', phone, 'dark'],
  ['desktop-light', desktop, 'light'],
  ['desktop-dark', desktop, 'dark'],
] as const
/** The layouts of each screen. */
const shown: Record<string, readonly string[]> = {
  sessions: ['phone-light', 'phone-dark', 'desktop-light'],
  talk: ['phone-light', 'phone-dark', 'desktop-light', 'desktop-dark'],
  chat: ['phone-light', 'desktop-light'],
  terminal: ['phone-dark'],
  changes: ['phone-light', 'desktop-light'],
  new: ['phone-light'],
  insights: ['phone-light', 'desktop-dark'],
  usage: ['phone-light'],
  settings: ['phone-light'],
}

/** Their colours come from a worker and change no element. */
const withCode = ['chat', 'changes']

const pages = new Map<string, Page>()
for (const [layout, viewport, theme] of layouts) {
  const page = await openPage(stage, viewport, theme)
  pages.set(layout, page)
  for (const [screen, wanted] of Object.entries(shown)) {
    if (!wanted.includes(layout)) continue
    await page.evaluate((to) => history.pushState(null, '', to), scene.screens[screen]!)
    await page.waitForFunction(
      () =>
        !document.querySelector('[role="status"] > .sr-only') &&
        [...document.querySelectorAll('h1')].some((each) => each.checkVisibility()),
    )
    if (withCode.includes(screen))
      await page.waitForFunction(() => [...CSS.highlights.values()].some(({ size }) => size > 0))
    await page.waitForTimeout(700)
    await shoot(page, `${screen}-${layout}`)
  }
}
// Last, because a request covers everything.
await scene.ask()
for (const layout of ['phone-light', 'phone-dark', 'desktop-light']) {
  const page = pages.get(layout)!
  await page.evaluate((to) => history.pushState(null, '', to), scene.screens['live']!)
  await page.getByRole('alertdialog').waitFor()
  await page.waitForTimeout(500)
  await shoot(page, `ask-${layout}`)
}

async function openPage(
  from: WebStage,
  viewport: { width: number; height: number },
  theme: 'light' | 'dark',
) {
  const page = await from.open({ viewport, theme })
  await page.getByRole('link').first().waitFor()
  return page
}

async function shoot(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
  const { size } = await stat(path)
  console.log(`  ${name}.png ${Math.round(size / 1000)} kB`)
  if (size > most) throw new Error(`${name}.png is larger than ${most} bytes`)
}
