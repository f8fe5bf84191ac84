import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { appFolder, webStage } from './stage.test-data.ts'

it('announces an update, and applies it on request', async () => {
  const app = await mkdtemp(join(tmpdir(), 'remora-app-'))
  onTestFinished(() => rm(app, { recursive: true, force: true }))
  await cp(appFolder, app, { recursive: true })
  await using stage = await webStage({ agents: ['fake'], app })
  const page = await stage.open({ worker: true })
  await page.getByText('No sessions yet').waitFor()
  await page.evaluate(() => navigator.serviceWorker.ready)
  // The page that installed the first version is not controlled yet.
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  expect(await page.getByText('Update available').count()).toBe(0)

  await appendFile(join(app, 'sw.js'), '\n// Another version.\n')
  await stage.restart()
  await page.getByTestId('connection').waitFor({ state: 'detached' })
  // As when the user returns to the app.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.getByText('Update available').waitFor()
  expect(await page.getByText('Update available').count()).toBe(1)
  await page.evaluate(() => Object.assign(globalThis, { isOld: true }))
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForFunction(() => !('isOld' in globalThis))
  await page.getByText('No sessions yet').waitFor()
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBeNull()
})
