import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type WebStage, webStage } from './stage.test-data.ts'
import { go, violations } from './page.test-data.ts'

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Opens a screen on a device of another person. */
async function open(person: string, at: string): Promise<Page> {
  const page = await stage.open({ paired: false, at })
  await page.getByRole('textbox', { name: 'Code' }).waitFor()
  const { code } = stage.server.listening.pairing.create(person)
  await page.evaluate((hash) => {
    location.hash = hash
  }, `pair=${code}`)
  return page
}

it('offers a viewer no answer and no composer, says why, and applies a new role at once', async () => {
  const { approvals, live } = stage.server.context
  const { people } = stage.server.listening
  await people.enrol('Bob', 'viewer', 'test')
  const started = await stage.start({ prompt: 'ask rocket' })
  await stage.until('an ask', async () => (await approvals.pending()).length > 0)
  const { agent, session } = live.find(started.id)!

  const page = await open('Bob', `/session/${agent}/${session}`)
  const sheet = page.getByRole('alertdialog')
  await sheet.getByText('A member or owner must answer this.').waitFor()
  await expect.poll(() => sheet.getByTestId('exactly').first().textContent()).toBe('touch rocket-1')
  expect(await page.locator('[data-effect]').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.getByText('You can read everything but not send messages.').waitFor()
  expect(await page.getByTestId('composer').count()).toBe(0)

  await people.setRole('Bob', 'member', 'test')
  await page.getByTestId('composer').waitFor()
  await page
    .getByRole('button', { name: /needs approval/ })
    .first()
    .click()
  await sheet.getByRole('button', { name: /Allow once/ }).waitFor()
  expect(await page.getByText('not send messages').count()).toBe(0)
})

it('shows a viewer no forbidden control on any screen', async () => {
  const { live } = stage.server.context
  const { people } = stage.server.listening
  await people.enrol('Vera', 'viewer', 'test')
  // A repository, so that there is something to review.
  execFileSync('git', ['init', '--quiet'], { cwd: stage.cwd })
  await writeFile(join(stage.cwd, 'notes.md'), 'New\n')
  const started = await stage.start({ prompt: 'slow 60000 tortoise' })
  const { agent, session } = await stage.until('it works', () =>
    live.list().find(({ id, state }) => id === started.id && state === 'working'),
  )
  await live.submit({
    id: 'waits',
    client: 'test',
    target: { agent, session },
    body: { kind: 'prompt', content: [{ type: 'text', text: 'Afterwards' }] },
  })
  const own = `/session/${agent}/${session}`
  const page = await open('Vera', own)
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const status = page.getByTestId('status')
  await status.getByText('Working').waitFor()
  await page.getByTestId('queue').getByText('Afterwards').waitFor()
  expect(await page.getByTestId('queue').getByRole('button').count()).toBe(0)
  expect(await status.getByRole('button').count()).toBe(0)
  await page.keyboard.press('Escape')
  await button('Session actions').click()
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('button', { name: 'Share as Markdown' }).waitFor()
  for (const name of [/^Rename/, /^Pin/, /^Hide/, /^Fork/, /^End/])
    expect(await sheet.getByRole('button', { name }).count(), String(name)).toBe(0)
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await button('Message actions').first().click()
  await sheet.getByRole('button', { name: 'Raw event' }).waitFor()
  expect(await sheet.getByRole('button', { name: /review|another session|from here/i }).count()).toBe(0)
  await page.keyboard.press('Escape')

  await go(page, `${own}/changes`)
  // A single file is expanded already.
  await page.getByRole('link', { name: 'Open file' }).waitFor()
  expect(await button(/review/i).count()).toBe(0)
  await go(page, `${own}/terminal`)
  await page.getByText('Viewers cannot type.').waitFor()
  expect(await button('Type').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await go(page, '/new')
  await page.getByText('Viewers cannot start sessions').waitFor()
  await go(page, '/settings/instructions')
  await page.getByText('No saved instructions').waitFor()
  expect(await button('New instructions').count()).toBe(0)
  await go(page, '/settings/about')
  expect(await button('Try the demo').count()).toBe(0)
  await go(page, '/')
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await sheet.getByRole('button', { name: 'Open', exact: true }).waitFor()
  expect(await sheet.getByRole('button', { name: /Rename|Pin|Hide|End/ }).count()).toBe(0)
  expect(await page.getByRole('link', { name: /^New session/ }).count()).toBe(0)
  // Nothing reached the agent.
  expect(live.find(started.id)).toMatchObject({ state: 'working', queued: 1 })
})

it('shows the user, devices by person, and lets only owners revoke', async () => {
  const { people } = stage.server.listening
  await people.enrol('Ann', 'member', 'test')
  const anns = await open('Ann', '/settings')
  await anns.getByTestId('you').getByText('You are Ann (member)').waitFor()
  expect(await violations(anns)).toEqual([])
  const page = await stage.open({ at: '/settings/devices' })
  await page.getByRole('heading', { name: 'Ann (member)' }).waitFor()
  expect(await violations(page)).toEqual([])
  await anns.getByRole('link', { name: /Devices/ }).click()
  await anns.getByText('Only an owner can revoke devices').waitFor()
  expect(await anns.getByTestId('device').count()).toBeGreaterThan(1)
  expect(await anns.getByRole('button', { name: /^Revoke/ }).count()).toBe(0)
  await page
    .getByRole('button', { name: /^Revoke/ })
    .first()
    .waitFor()
})
