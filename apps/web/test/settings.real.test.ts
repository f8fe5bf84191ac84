import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { desktop, type WebStage, webStage } from './stage.test-data.ts'
import { violations } from './page.test-data.ts'

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
})
afterAll(() => stage[Symbol.asyncDispose]())

const evil = '<img src=x onerror=pwned=1>'

function at(part: string, viewport?: { width: number; height: number }): Promise<Page> {
  return stage.open({ at: `/settings${part}`, viewport })
}

async function pair(name: string): Promise<Page> {
  const page = await stage.open({ paired: false })
  const { code } = stage.server.listening.pairing.create()
  // A pasted link.
  await page.getByRole('textbox', { name: 'Code' }).fill(`${stage.url}/#pair=${code}`)
  expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe(code)
  await page.getByRole('textbox', { name: 'Name of this device' }).fill(name)
  await page.getByRole('button', { name: 'Pair' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return page
}

it('pairs with a code in any spelling, and explains a failure', async () => {
  const page = await stage.open({ paired: false })
  const field = page.getByRole('textbox', { name: 'Code' })
  await field.pressSequentially('aaaabbbbcccc')
  expect(await field.inputValue()).toBe('AAAA-BBBB-CCCC')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Pair' }).click()
  await page.getByRole('alert').getByText('This code is invalid').waitFor()
  const { code } = stage.server.listening.pairing.create()
  await field.fill(code.toLowerCase().replaceAll('-', ' '))
  await page.getByRole('button', { name: 'Pair' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

it('opens a pairing link in the running app', async () => {
  const page = await stage.open({ paired: false })
  await page.getByRole('textbox', { name: 'Code' }).waitFor()
  const { code } = stage.server.listening.pairing.create()
  await page.evaluate((hash) => {
    location.hash = hash
  }, `pair=${code}`)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(page.url()).not.toContain('pair=')
})

it('lets the keyboard skip the list', async () => {
  const page = await at('', desktop)
  await page.getByTestId('you').waitFor()
  const isFocused = (name: RegExp): Promise<boolean> =>
    page.getByRole('link', { name }).evaluate((link) => link === document.activeElement)
  await page.keyboard.press('Tab')
  await expect.poll(() => isFocused(/^Skip to content/)).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect.poll(() => isFocused(/^Devices/)).toBe(true)
})

it('lists devices, renames this one, and revokes another after confirmation', async () => {
  const other = await pair(evil)
  const page = await at('/devices')
  const row = page.getByTestId('device').filter({ hasText: evil })
  await row.waitFor()
  expect(await page.locator('img').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('My phone')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByTestId('device').first().getByText('My phone').waitFor()
  await row.getByRole('button', { name: `Revoke ${evil}` }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await row.count()).toBe(1)
  await row.getByRole('button', { name: `Revoke ${evil}` }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  await other.getByText('Pair this device', { exact: true }).waitFor()
  await other.getByText('Access for this device was revoked').waitFor()
})

it('unpairs the device, and clears its data', async () => {
  const page = await at('/devices')
  await page.evaluate(() => localStorage.setItem('remora:draft:gemini/x', '{"text":"secret"}'))
  await page.getByRole('button', { name: 'Unpair this device' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unpair this device' }).click()
  await page.getByText('Pair this device', { exact: true }).waitFor()
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage)))
    .not.toContain('remora:draft:gemini/x')
  await page.reload()
  await page.getByText('Pair this device', { exact: true }).waitFor()
  expect(await page.getByText('Access for this device was revoked').count()).toBe(0)
})

it('saves, edits and deletes review instructions', async () => {
  const page = await at('/instructions', desktop)
  await page.getByText('No saved instructions').waitFor()
  await page.getByRole('button', { name: 'New instructions' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(evil)
  await page.getByRole('textbox', { name: 'Instructions for reviewers' }).fill('Look for SQL injection only')
  await page.getByRole('button', { name: 'Save' }).click()
  const row = page.getByTestId('instruction')
  await row.getByText('Look for SQL injection only').waitFor()
  await row.getByRole('button', { name: /^Edit/ }).click()
  await page.getByRole('textbox', { name: 'Instructions for reviewers' }).fill('Changed')
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Changed').waitFor()
  expect(await page.locator('img').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await row.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No saved instructions').waitFor()
})

it('applies the appearance, also after a reload', async () => {
  const page = await at('/appearance')
  await page.getByRole('radio', { name: 'Dark' }).check()
  await page.getByRole('radio', { name: 'Large' }).check()
  const look = () =>
    page.evaluate(() => [
      document.documentElement.dataset['theme'],
      getComputedStyle(document.documentElement).fontSize,
    ])
  await expect.poll(look).toEqual(['dark', '19px'])
  await page.reload()
  await page.getByText('Text size').waitFor()
  await expect.poll(look).toEqual(['dark', '19px'])
  expect(await page.getByRole('radio', { name: 'Large' }).isChecked()).toBe(true)
  expect(await violations(page)).toEqual([])
})

it('shows its versions, and clears its data', async () => {
  const page = await at('/about')
  await page.getByText('0.0.0').waitFor()
  await page.evaluate(() => {
    localStorage.setItem('remora:draft:gemini/x', '{"text":"secret"}')
    localStorage.setItem('remora:theme', '"dark"')
  })
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Clear data' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear data' }).click()
  await page.getByText('Data cleared').waitFor()
  const keys = await page.evaluate(() => Object.keys(localStorage))
  expect(keys).toContain('remora:theme')
  expect(keys).toContain('remora:paired')
  expect(keys).not.toContain('remora:draft:gemini/x')
})

it('turns on notifications only after a tap, with a switch for each kind', async () => {
  const page = await stage.open({ worker: true })
  await page.context().grantPermissions(['notifications'])
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  // A test browser gets no push subscription, so this one is faked. Everything else is real.
  await page.addInitScript(() => {
    const made = {
      endpoint: 'https://push.example.org/abc',
      keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
      toJSON: () => ({ endpoint: made.endpoint, keys: made.keys }),
      unsubscribe: async () => {
        delete (globalThis as { subscribed?: unknown }).subscribed
        return true
      },
    }
    Object.assign(PushManager.prototype, {
      subscribe: async () => Object.assign(globalThis, { subscribed: made }).subscribed,
      getSubscription: async () => (globalThis as { subscribed?: unknown }).subscribed ?? null,
    })
  })
  await page.goto(`${stage.url}/settings/notifications`)
  const turnOn = page.getByRole('button', { name: 'Turn on notifications' })
  await turnOn.waitFor()
  expect(await violations(page)).toEqual([])
  await turnOn.click()
  const done = page.getByRole('switch', { name: /An agent finishes/ })
  await expect.poll(() => done.isChecked()).toBe(true)
  expect(await violations(page)).toEqual([])
  await done.focus()
  await page.keyboard.press('Space')
  const wishes = () => page.evaluate(() => fetch('/api/push').then((response) => response.json()))
  await expect.poll(wishes).toMatchObject({ subscribed: true, preferences: { ask: true, done: false } })
  await page.getByRole('button', { name: 'Turn off on this device' }).click()
  await turnOn.waitFor()
  await expect.poll(wishes).toMatchObject({ subscribed: false })
})

it('offers installation once', async () => {
  const page = await at('')
  await page.getByTestId('you').waitFor()
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'userAgent', { value: 'Mozilla/5.0 (Linux; Android 15) Chrome/140' })
  })
  await page.goto(stage.url)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  /** Sends the install event; true once a listener has handled it. */
  const offer = (): Promise<boolean> =>
    page.evaluate(() => {
      const event = new Event('beforeinstallprompt', { cancelable: true })
      const prompt = async (): Promise<unknown> => Object.assign(globalThis, { prompted: true })
      dispatchEvent(Object.assign(event, { prompt }))
      return event.defaultPrevented
    })
  const banner = page.getByRole('region', { name: 'Install app' })
  expect(await banner.count()).toBe(0)
  await stage.until('the offer is heard', offer)
  await banner.waitFor()
  expect(await violations(page)).toEqual([])
  await banner.getByRole('button', { name: 'Install' }).click()
  await page.waitForFunction(() => 'prompted' in globalThis)
  await banner.waitFor({ state: 'detached' })
  await stage.until('another offer is heard', offer)
  await banner.getByRole('button', { name: 'Not now' }).click()
  await banner.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await stage.until('a third offer is heard', offer)
  expect(await banner.count()).toBe(0)
})

it('explains how to unblock notifications, and what is not possible', async () => {
  const page = await stage.open({ worker: true })
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }))
  await page.goto(`${stage.url}/settings/notifications`)
  await page.getByText('Notifications are blocked').waitFor()
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PushManager'))
  await page.reload()
  await page.getByText('Notifications are not available').waitFor()
  await page.goto(`${stage.url}/settings/nothing`)
  await page.getByText('Page not found').waitFor()
  expect(stage.consoleErrors.filter((each) => !/40[13]/.test(each))).toEqual([])
})
