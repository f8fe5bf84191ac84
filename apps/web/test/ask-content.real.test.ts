import type { Answer, Ask } from '@remora/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { desktop, type WebStage, webStage } from './stage.test-data.ts'
import { noteOutcomes, type Outcome, violations } from './page.test-data.ts'

let stage: WebStage
let page: Page
let outcomes: () => Promise<Outcome[]>
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  page = await stage.open({ kept: true, at: '/settings' })
  outcomes = await noteOutcomes(page)
})
afterAll(() => stage[Symbol.asyncDispose]())

const sheet = () => page.getByRole('alertdialog')
const options: Ask['options'] = [
  { id: 'yes', label: 'Yes', effect: 'allow' },
  { id: 'no', label: 'No', effect: 'deny' },
]
let count = 0

/** Makes an agent ask, and resolves when the page shows the request. */
async function asked(
  more: Partial<Ask>,
): Promise<{ answered: Promise<Answer>; settle: () => Promise<void> }> {
  const { approvals } = stage.server.context
  const key = { agent: 'claude', session: `session-${++count}` }
  const ask: Ask = {
    id: `ask-${count}`,
    digest: `d-${count}`,
    kind: 'permission',
    title: 'Proceed?',
    options,
    ...more,
  }
  let tell!: (answer: Answer) => void
  const answered = new Promise<Answer>((resolve) => (tell = resolve))
  await approvals.open(key, ask, async (answer) => {
    tell(answer)
    return 'done'
  })
  await page.getByTestId('ask-banner').click()
  await page.waitForFunction(() => document.querySelector('[data-effect][aria-disabled=false]'))
  return {
    answered,
    async settle() {
      await approvals.settle(key, ask.id, { by: 'cancel' })
      await sheet().waitFor({ state: 'detached' })
      expect((await outcomes()).at(-1)?.words).toBe('Withdrawn: the agent no longer asks')
    },
  }
}
const exact = () => sheet().getByTestId('exactly').allTextContents()

it('cannot allow a request before its full text is shown', async () => {
  const command = `echo ${'a'.repeat(30_000)}; rm -rf ~`
  const { settle } = await asked({ title: 'Run \u202Eit?', tool: 'Bash', input: { command }, exact: true })
  const yes = sheet().getByRole('button', { name: 'Yes' })
  expect(await yes.getAttribute('aria-disabled')).toBe('true')
  expect(await sheet().getByRole('button', { name: 'No' }).getAttribute('aria-disabled')).toBe('false')
  await sheet().getByText('Show the full text before you allow it.').waitFor()
  expect(await sheet().locator('mark').allTextContents()).toEqual(['U+202E'])
  await sheet().getByRole('button', { name: 'Show all' }).click()
  await expect.poll(() => yes.getAttribute('aria-disabled')).toBe('false')
  expect(await exact()).toEqual([command])
  await settle()
})

it('shows a file change line by line', async () => {
  const { settle } = await asked({
    tool: 'Edit',
    exact: true,
    input: {
      file_path: '/shop/cart.ts',
      old_string: 'one\ntwo\n',
      new_string: 'one\nthree\n',
      replace_all: true,
    },
  })
  await sheet().getByTestId('change').waitFor()
  const change = sheet().getByTestId('change')
  expect(await change.textContent()).toBe('one\ntwo\nthree\n')
  expect(await change.locator('del').allTextContents()).toEqual(['two\n'])
  expect(await change.locator('del').getAttribute('data-narrow')).toContain('−')
  expect(await change.locator('ins').allTextContents()).toEqual(['three\n'])
  expect(await change.locator('ins').getAttribute('data-narrow')).toContain('+')
  expect(await exact()).toEqual(['/shop/cart.ts', 'true'])
  expect(await sheet().textContent()).toContain('The agent sent exactly this request')
  expect(await sheet().getByRole('timer').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await settle()
})

it('shows a long command completely, and says when it is cut', async () => {
  const command = `echo start\n${'# nothing to see here\n'.repeat(2_000)}rm -rf /`
  const { settle } = await asked({ tool: 'Bash', input: { command } })
  await sheet().getByRole('button', { name: 'More below' }).waitFor()
  expect(await sheet().textContent()).toContain('2,002 lines')
  expect(await sheet().textContent()).toContain(
    `Showing the first 20,000 of ${command.length.toLocaleString('en')} characters`,
  )
  expect((await exact())[0]).not.toContain('rm -rf')
  await sheet().getByRole('button', { name: 'Show all' }).click()
  await expect.poll(async () => (await exact())[0]).toBe(command)
  await settle()
})

it('marks hidden characters, and renders no agent text as HTML', async () => {
  const evil = '<img src=x onerror="globalThis.pwned=1"><script>pwned=1</script>'
  const { settle } = await asked({
    title: `${evil} title`,
    body: `${evil} body`,
    tool: evil,
    input: { command: `echo \u202e${evil}`, description: evil, [evil]: { deep: evil } },
    parent: evil,
    options: [
      { id: evil, label: `${evil} yes`, effect: 'allow' },
      { id: '__proto__', label: '', effect: 'other' },
      { id: 'no', label: 'x'.repeat(3_000), effect: 'deny' },
    ],
  })
  expect((await exact())[0]).toBe(`echo U+202E${evil}`)
  expect(await sheet().textContent()).toContain('Contains 1 invisible or misleading character')
  expect(await sheet().textContent()).toContain(`${evil} title`)
  expect(await page.evaluate(() => [...document.querySelectorAll('img, script:not([src])')].length)).toBe(0)
  expect(await page.evaluate(() => (globalThis as { pwned?: unknown }).pwned)).toBeUndefined()
  const { width } = (await sheet().boundingBox())!
  expect(await sheet().evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(width)
  await settle()
})

it('sends a free-text answer, and keeps its draft when dismissed', async () => {
  const { answered } = await asked({
    kind: 'question',
    title: 'Which one?',
    freeText: true,
    options: [
      ...['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, label: `Choice ${id}`, effect: 'other' as const })),
      options[1]!,
    ],
  })
  const field = sheet().getByRole('textbox', { name: 'Your answer' })
  await field.fill('none of them, but <b>this</b>')
  await page.keyboard.press('Escape')
  await sheet().waitFor({ state: 'detached' })
  await page.getByTestId('ask-banner').click()
  await expect.poll(() => field.inputValue()).toBe('none of them, but <b>this</b>')
  await expect.poll(() => sheet().getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
  await sheet().getByRole('button', { name: 'Send' }).click()
  expect(await answered).toMatchObject({ by: 'person', text: 'none of them, but <b>this</b>' })
  await sheet().waitFor({ state: 'detached' })
  expect((await outcomes()).at(-1)?.words).toBe('You answered: “none of them, but <b>this</b>”')
})

it('renders a plan as Markdown, and shows the remaining time', async () => {
  const { answered } = await asked({
    kind: 'plan',
    title: 'Ready?',
    body: '# The plan\n\n- do **this**\n',
    freeText: true,
    expiresAt: Date.now() + 599_000,
  })
  await sheet().getByRole('heading', { name: 'The plan' }).waitFor()
  await sheet()
    .getByRole('timer')
    .getByText(/Denied automatically in [0-9]:\d\d\./)
    .waitFor()
  await sheet().getByRole('textbox', { name: 'What to do instead' }).waitFor()
  expect(await violations(page)).toEqual([])
  await sheet().getByRole('button', { name: 'Yes' }).click()
  expect(await answered).toMatchObject({ option: 'yes' })
  await sheet().waitFor({ state: 'detached' })
})

it('announces a changed request, and rejects an answer to the old one', async () => {
  const { approvals } = stage.server.context
  const key = { agent: 'claude', session: `session-${++count}` }
  const carried: Answer[] = []
  const put = (digest: string, command: string) =>
    approvals.open(
      key,
      {
        id: 'changing',
        digest,
        kind: 'permission',
        title: 'Proceed?',
        tool: 'Bash',
        input: { command },
        options,
      },
      async (answer) => {
        carried.push(answer)
        return 'done'
      },
    )
  await put('one', 'ls')
  await page.getByTestId('ask-banner').click()
  await expect.poll(exact).toEqual(['ls'])
  await put('two', 'rm -rf /')
  await expect.poll(exact).toEqual(['rm -rf /'])
  await sheet().getByText('This request changed').waitFor()
  await page.waitForFunction(() => document.querySelector('[data-effect][aria-disabled=false]'))
  await sheet().getByRole('button', { name: 'No' }).click()
  await expect.poll(() => carried).toMatchObject([{ option: 'no', digest: 'two' }])
  await sheet().waitFor({ state: 'detached' })
})

it('steps through the requests of several sessions without deciding', async () => {
  await page.setViewportSize(desktop)
  const { approvals } = stage.server.context
  const keys = ['x', 'y', 'z'].map((session) => ({ agent: 'codex', session }))
  for (const key of keys)
    await approvals.open(
      key,
      { id: key.session, digest: 'd', kind: 'permission', title: `Ask ${key.session}`, options },
      async () => 'done',
    )
  await page.getByTestId('ask-banner').getByText('and 2 more').waitFor()
  await page.getByTestId('ask-banner').click()
  for (const [place, { session }] of keys.entries()) {
    await sheet().getByText(`Ask ${session}`, { exact: true }).waitFor()
    expect(await sheet().getByTestId('place').textContent()).toBe(`${place + 1} of 3`)
    if (place < 2)
      await sheet()
        .getByRole('button', { name: /Next request/ })
        .click()
  }
  await page.keyboard.press('Escape')
  await sheet().waitFor({ state: 'detached' })
  expect(await approvals.pending()).toHaveLength(3)
  for (const key of keys) await approvals.settle(key, key.session, { by: 'cancel' })
  await page.getByTestId('ask-banner').waitFor({ state: 'detached' })
  expect(stage.consoleErrors).toEqual([])
})
