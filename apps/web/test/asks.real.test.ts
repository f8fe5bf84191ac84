import type { Answer, LiveInfo } from '@remora/protocol'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { desktop, type WebStage, webStage } from './stage.test-data.ts'
import { noteOutcomes, type Outcome } from './page.test-data.ts'

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
})
afterAll(() => stage[Symbol.asyncDispose]())
// A request left open must not appear in the next test.
afterEach(async () => {
  const { live, approvals } = stage.server.context
  for (const { id, agent, session, state } of live.list())
    if (state !== 'ended')
      await live.submit({ id: `end-${id}`, client: 't', target: { agent, session }, body: { kind: 'end' } })
  await stage.until('nothing is asked', async () => (await approvals.pending()).length === 0)
})

const sheet = (page: Page) => page.getByRole('alertdialog')
const button = (page: Page, name: string | RegExp) => sheet(page).getByRole('button', { name })
const allow = /Allow once/
const deny = /No, suggest changes/

/** A session with a request, and a page that shows it. */
async function asking(words: string): Promise<{
  info: LiveInfo
  page: Page
  answers: () => Promise<Answer[]>
  outcomes: () => Promise<Outcome[]>
}> {
  const started = await stage.start({ prompt: words })
  const { approvals, live, ledger } = stage.server.context
  const first = await stage.until('an ask', async () =>
    (await approvals.pending()).find(({ session }) => session === live.find(started.id)?.session),
  )
  const info = live.find(started.id)!
  const page = await stage.open({ at: `/session/${info.agent}/${info.session}` })
  return {
    info,
    page,
    outcomes: await noteOutcomes(page),
    async answers() {
      const { events } = await ledger.read({ session: first })
      return events.flatMap(({ event }) => (event.type === 'answer' ? [event.answer] : []))
    },
  }
}

/** Waits until the guard accepts taps. */
const meant = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('[data-effect][aria-disabled=true]'))

it('shows exactly what will run, and allows it', async () => {
  const { page, answers, outcomes } = await asking('ask rocket')
  await sheet(page).waitFor()
  await expect.poll(() => sheet(page).getByTestId('exactly').first().textContent()).toBe('touch rocket-1')
  await sheet(page).getByText('in work').waitFor()
  await sheet(page).getByText('Gemini needs approval').waitFor()
  expect(await sheet(page).textContent()).toContain('Read from the terminal')
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2')
  await meant(page)
  await button(page, allow).click()
  await sheet(page).waitFor({ state: 'detached' })
  expect(await outcomes()).toEqual([{ words: 'You answered: Allow once', open: 0 }])
  await expect.poll(answers).toMatchObject([{ by: 'person', option: expect.stringContaining('allow') }])
})

it('keeps allow and deny far apart and large enough for a thumb', async () => {
  const { page } = await asking('ask distance')
  await sheet(page).waitFor()
  await meant(page)
  // Measured at once, because the dialog may still grow between two calls.
  const [yes, always, no] = await sheet(page)
    .locator('[data-effect]')
    .evaluateAll((buttons) =>
      ['allow', 'allow_always', 'deny'].map((effect) =>
        buttons
          .find((each) => each.dataset['effect'] === effect)!
          .getBoundingClientRect()
          .toJSON(),
      ),
    )
  for (const box of [yes, no]) expect(box.height).toBeGreaterThanOrEqual(56)
  expect(no.top - yes.bottom).toBeGreaterThanOrEqual(80)
  expect(no.top - always.bottom).toBeGreaterThanOrEqual(24)
  await button(page, deny).click()
  await sheet(page).waitFor({ state: 'detached' })
})

it('denies a request', async () => {
  const { page, answers, outcomes } = await asking('ask denied')
  await sheet(page).waitFor()
  await meant(page)
  await button(page, deny).click()
  await sheet(page).waitFor({ state: 'detached' })
  expect(await outcomes()).toMatchObject([
    { words: expect.stringMatching(/^You answered: No, suggest changes/) },
  ])
  await expect.poll(answers).toMatchObject([{ by: 'person', option: expect.stringContaining('deny') }])
})

it('shows several requests one after the other', async () => {
  const { page, answers, outcomes } = await asking('ask row 3')
  for (const command of ['touch row-3', 'touch row-2', 'touch row-1']) {
    await expect.poll(() => sheet(page).getByTestId('exactly').first().textContent()).toBe(command)
    await meant(page)
    await button(page, allow).click()
  }
  await sheet(page).waitFor({ state: 'detached' })
  // Each stayed visible as answered until the next one came.
  expect((await outcomes()).map(({ words }) => words)).toEqual(Array(3).fill('You answered: Allow once'))
  await expect.poll(answers).toHaveLength(3)
})

it('shows at once that another device answered', async () => {
  const { page, info, outcomes } = await asking('ask faster')
  const other = await stage.open({ viewport: desktop })
  await other.getByRole('button', { name: /request needs you/ }).click()
  await sheet(page).waitFor()
  await sheet(other).waitFor()
  await meant(other)
  await button(other, deny).click()
  await sheet(page).waitFor({ state: 'detached' })
  expect(await outcomes()).toEqual([
    { words: expect.stringMatching(/^Answered elsewhere: No, suggest changes.*, by Linux, Chrome/), open: 0 },
  ])
  expect(stage.server.context.live.find(info.id)).toBeDefined()
})

it('ignores a tap or key meant for something else', async () => {
  const { page, answers, outcomes } = await asking('ask hasty')
  await sheet(page).waitFor()
  for (const key of ['Enter', 'Space', 'Escape']) await page.keyboard.press(key)
  await sheet(page).waitFor({ state: 'detached' })
  // Pressed when the dialog opens, a little later, and held until the guard is over.
  await page.evaluate(() => {
    const seen: (string | null)[] = []
    Object.assign(globalThis, { seen })
    new MutationObserver((_, observer) => {
      const button = document.querySelector('[data-effect=allow]')
      if (!button) return
      observer.disconnect()
      const press = (type: string) => button.dispatchEvent(new PointerEvent(type, { bubbles: true }))
      const click = () => button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
      const look = () => seen.push(button.getAttribute('aria-disabled'))
      look()
      press('pointerdown')
      click()
      setTimeout(() => {
        look()
        click()
        press('pointerdown')
      }, 250)
      const counts = new MutationObserver(() => {
        if (button.getAttribute('aria-disabled') !== 'false') return
        counts.disconnect()
        look()
        click()
      })
      counts.observe(button, { attributeFilter: ['aria-disabled'] })
    }).observe(document.body, { childList: true, subtree: true })
  })
  await page.getByTestId('ask-banner').click()
  await page.waitForFunction(() => (globalThis as { seen?: unknown[] }).seen?.length === 3)
  expect(await page.evaluate(() => (globalThis as { seen?: unknown[] }).seen)).toEqual([
    'true',
    'true',
    'false',
  ])
  // A new press counts, and none before it did: the first answer holds.
  await button(page, deny).click()
  await sheet(page).waitFor({ state: 'detached' })
  expect(await outcomes()).toMatchObject([{ words: expect.stringMatching(/^You answered: No/) }])
  await expect.poll(answers).toMatchObject([{ option: expect.stringContaining('deny') }])
})

it('cannot answer offline, and continues after reconnecting', async () => {
  const { page, answers } = await asking('ask offline')
  await sheet(page).waitFor()
  await page.context().setOffline(true)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await sheet(page)
    .getByText(/You are offline and cannot answer/)
    .waitFor()
  await button(page, allow).click({ force: true })
  expect(await answers()).toHaveLength(0)
  await page.context().setOffline(false)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await sheet(page)
    .getByText(/You are offline and cannot answer/)
    .waitFor({ state: 'detached' })
  await meant(page)
  await button(page, allow).click()
  await expect.poll(answers).toHaveLength(1)
})

it('announces requests on every other screen, and opens them', async () => {
  const { page } = await asking('ask banner')
  await sheet(page).waitFor()
  await button(page, 'Decide later').click()
  await page.goto(`${stage.url}/settings`)
  const banner = page.getByTestId('ask-banner')
  await banner.getByText(/Gemini needs approval: Allow execution/).waitFor()
  expect(await sheet(page).count()).toBe(0)
  const outcomes = await noteOutcomes(page)
  await banner.click()
  await sheet(page).waitFor()
  await meant(page)
  await button(page, allow).click()
  await sheet(page).waitFor({ state: 'detached' })
  expect(await outcomes()).toMatchObject([{ words: 'You answered: Allow once' }])
  await banner.waitFor({ state: 'detached' })
})
