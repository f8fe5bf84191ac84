import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { buildScene, type Scene } from './scene.test-data.ts'
import { delayMs, desktop, phone, type WebStage, webStage } from './stage.test-data.ts'
import { go, violations } from './page.test-data.ts'

const firstLoadBytes = 200_000
const folder = process.env['SHOTS']
let stage: WebStage
let scene: Scene
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  scene = await buildScene(stage)
  if (folder) mkdirSync(folder, { recursive: true })
})
afterAll(() => stage[Symbol.asyncDispose]())

/** The axe violations of the current screen, light on a phone and dark on a desktop. */
async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  const colorScheme = name.startsWith('phone') ? 'light' : 'dark'
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction((theme) => document.documentElement.dataset['theme'] === theme, colorScheme)
  if (folder) await page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`) })
  found.push(...(await violations(page)).map((each) => `${name}: ${each}`))
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  return wide > 0 ? [...found, `${name}: wider than the screen by ${wide}`] : found
}

const looks = [
  ['phone', phone],
  ['desktop', desktop],
] as const

it.each(looks)(
  'axe finds nothing on any screen: %s',
  async (name, viewport) => {
    stage.consoleErrors.length = 0
    const page = await stage.open({ viewport })
    await page.getByRole('link').first().waitFor()
    const found: string[] = []
    for (const [screen, path] of Object.entries(scene.screens)) {
      await go(page, path)
      found.push(...(await look(page, `${name} ${screen}`)))
    }
    const door = await stage.open({ viewport, paired: false })
    await door.getByRole('button', { name: 'Pair' }).waitFor()
    found.push(...(await look(door, `${name} pair`)))
    await page.route('**/api/demo', (route) =>
      route.request().method() === 'POST'
        ? undefined
        : route.fulfill({ json: { state: 'installing', seconds: 7, usualSeconds: 20, megabytes: 100 } }),
    )
    await go(page, '/settings/about')
    await page.getByRole('button', { name: 'Try the demo' }).click()
    await page.getByText('7 s, usually').waitFor()
    found.push(...(await look(page, `${name} demo`)))
    expect(found).toEqual([])
    // The staged session names an image in a folder that is not readable.
    expect(stage.consoleErrors.filter((each) => !each.includes('403 (Forbidden)'))).toEqual([])
  },
  240_000,
)

it.each(looks)('axe finds nothing in a request: %s', async (name, viewport) => {
  await scene.ask()
  const page = await stage.open({ viewport })
  await page.getByRole('alertdialog').or(page.getByRole('link')).first().waitFor()
  await go(page, scene.screens['live']!)
  await page.getByRole('alertdialog').waitFor()
  expect(await look(page, `${name} ask`)).toEqual([])
})

it('the first load is small and logs no errors', async () => {
  stage.consoleErrors.length = 0
  const { code } = stage.server.listening.pairing.create()
  const context = await stage.browser.newContext({ viewport: phone, serviceWorkers: 'block' })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(delayMs)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') stage.consoleErrors.push(message.text())
  })
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const names = new Map<string, string>()
  const sizes = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response.url))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    sizes.set(names.get(requestId) ?? requestId, encodedDataLength),
  )
  // Compressed with gzip, as the limit is defined.
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
  // Prefetching when idle would make the size depend on timing.
  await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }))
  await page.goto(`${stage.url}/#pair=${code}`)
  await page.getByRole('link').first().waitFor()
  await page.waitForLoadState('networkidle')
  const all = [...sizes]
    .filter(([url]) => !url.includes('/api/'))
    .map(([url, size]) => [new URL(url).pathname, size] as const)
  const total = all.reduce((sum, [, size]) => sum + size, 0)
  process.stdout.write(
    `first load: ${total} bytes\n${all
      .toSorted(([, a], [, b]) => b - a)
      .map(([path, size]) => `  ${String(size).padStart(7)} ${path}\n`)
      .join('')}`,
  )
  expect(total).toBeGreaterThan(30_000)
  expect(total).toBeLessThan(firstLoadBytes)
  expect(stage.consoleErrors).toEqual([])
})
