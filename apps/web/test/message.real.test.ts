import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'
import { galleryStory } from './gallery.test-data.ts'
import { pressLong } from './sessions.test-data.ts'
import { type WebStage, webStage } from './stage.test-data.ts'
import { isQuiet, violations } from './page.test-data.ts'

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  await stage.server.context.ledger.append(galleryStory().records)
})
afterAll(() => stage[Symbol.asyncDispose]())

async function openSession(session: string): Promise<Page> {
  const page = await stage.open({ at: `/session/gemini/${session}` })
  await page.getByTestId('messages').waitFor()
  return page
}

/** Expands the visible calls one at a time, because expanding moves the others. */
async function openAll(page: Page): Promise<void> {
  const opened = page.locator('[data-testid=tool] button[aria-expanded=true]')
  const before = await opened.count()
  const closed = page.locator('[data-testid=tool] button[aria-expanded=false]')
  for (let left = await closed.count(); left > 0; left--)
    await closed.evaluateAll(([button]) => (button as HTMLElement | undefined)?.click())
  await expect.poll(() => opened.count()).toBeGreaterThan(before)
}

it('shows a live session and its messages', async () => {
  const page = await stage.open()
  await stage.start({ prompt: 'hello there' })
  await page
    .getByRole('link', { name: /hello there/ })
    .first()
    .click()
  await page.getByText('You said: hello there').waitFor()
  await page.getByTestId('composer').getByRole('textbox').fill('and again')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('You said: and again').waitFor()
  expect(stage.consoleErrors).toEqual([])
})

it('shows and expands every part of a message, and logs no errors', async () => {
  const page = await openSession('gallery')
  await page.getByText('Done: both line endings').waitFor()
  await page.getByText('Cannot show this file').waitFor()
  const tool = page.getByTestId('tool')

  const edit = tool.filter({ hasText: 'Edit' })
  await edit.getByRole('button').first().scrollIntoViewIfNeeded()
  await edit.getByRole('button').first().click()
  await edit.getByText('Files from Windows end').waitFor()
  // Colours come from a worker and are no elements.
  await stage.until('there are colours', () =>
    page.evaluate(() => [...CSS.highlights.values()].some(({ size }) => size > 0)),
  )
  expect(await edit.locator('code span').count()).toBeLessThan(3)
  await openAll(page)
  expect(await violations(page)).toEqual([])
  const isUnexpected = (text: string) =>
    !text.includes('404') && !text.includes('400') && !text.includes('403')
  expect(stage.consoleErrors.filter(isUnexpected)).toEqual([])
})

it('has a menu with the raw record', async () => {
  const page = await openSession('gallery')
  const last = page.getByRole('article').filter({ hasText: 'Done: both line endings' })
  await last.getByRole('button', { name: 'Message actions' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByText('12,345 in').waitFor()
  await sheet.getByRole('button', { name: /Raw event/ }).click()
  const raw = page.getByRole('dialog', { name: 'Raw event' })
  await raw.waitFor()
  await expect.poll(() => raw.getByRole('heading').count()).toBe(1)
})

it('opens the menu on a long press, and nothing beneath it', async () => {
  const page = await openSession('gallery')
  await page.getByText('Cannot show this file').waitFor()
  const button = page.getByTestId('tool').filter({ hasText: 'Question' }).getByRole('button').first()
  await button.scrollIntoViewIfNeeded()
  // A conversation is drawn in steps after opening, and moves.
  await isQuiet(page)
  await pressLong(page, button)
  await page.getByRole('dialog').getByText('Copy as Markdown').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await button.getAttribute('aria-expanded')).toBe('false')
})

it("runs nothing from an agent's message", async () => {
  const bad =
    '"><img src=x onerror="window.hurt=1"><script>window.hurt=1</script>[x](javascript:window.hurt=1)'
  const story = new Story({ agent: 'gemini', session: 'hostile' })
  await stage.server.context.ledger.append([
    ...story.tell({ type: 'session', entity: 's', cwd: '/x', title: bad }),
    ...story.prompt(bad),
    ...story.tell({
      type: 'thinking',
      entity: 't',
      message: 'm',
      offset: 0,
      text: bad,
      subject: bad,
      final: true,
    }),
    ...story.says(bad, 'm'),
    ...['Bash', 'Edit', 'WebFetch', 'ExitPlanMode', bad].flatMap((name, index) => [
      ...story.tell({
        type: 'tool_use',
        entity: `c${index}`,
        message: 'm',
        name,
        input: { command: bad, file_path: bad, old_string: bad, new_string: `${bad}!`, url: bad, plan: bad },
      }),
      ...story.tell({
        type: 'tool_result',
        entity: `c${index}`,
        status: 'error',
        content: bad,
        display: bad,
      }),
    ]),
  ])
  const page = await openSession('hostile')
  await page.getByTestId('tool').first().waitFor()
  await openAll(page)
  expect(await page.locator('[data-testid=messages] img, [data-testid=messages] script').count()).toBe(0)
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false)
})
