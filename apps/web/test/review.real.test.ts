import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Opinion, Review, ReviewMark } from '@remora/protocol/api'
import type { Scenario } from '@remora/scripted-model'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { desktop, phone, type WebStage, webStage } from './stage.test-data.ts'
import { violations } from './page.test-data.ts'

const attack = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>'

const opinions: Record<string, Opinion> = {
  both: {
    verdict: 'changes',
    summary: `One hole. ${attack}`,
    findings: [
      {
        file: 'db.js',
        line: 2,
        severity: 'critical',
        text: `SQL injection: the name is concatenated into the query ${attack}`,
        suggestion: `Use a placeholder. ${attack}`,
      },
    ],
  },
  strict: {
    verdict: 'changes',
    summary: 'Not safe.',
    findings: [
      { file: 'db.js', line: 2, severity: 'major', text: 'User input goes into the SQL query unescaped' },
      { file: 'db.js', line: 5, severity: 'minor', text: 'The connection is never closed' },
      { file: '', severity: 'note', text: 'There is no test for the empty name' },
    ],
  },
  mild: {
    verdict: 'approve',
    summary: 'Fine.',
    findings: [
      { file: 'db.js', line: 2, severity: 'critical', text: 'SQL injection: input goes into the SQL query' },
    ],
    fine: [{ file: 'db.js', line: 5, text: 'The connection is closed by the pool, so nothing leaks' }],
  },
}

const scenarios: Scenario[] = [
  ...Object.entries(opinions).map(([name, opinion]) => ({
    name: `review-${name}`,
    title: 'A reviewer',
    prompt: '',
    turns: [[{ text: JSON.stringify(opinion) }]],
  })),
  { name: 'silent', title: 'Says nothing', prompt: '', turns: [[{ fault: { kind: 'silence' } }]] },
]

let stage: WebStage
let parent: { agent: string; session: string }
beforeAll(async () => {
  stage = await webStage({ agents: ['gemini', 'claude', 'codex'], scenarios })
  writeFileSync(
    join(stage.cwd, 'db.js'),
    'export function find(db, name) {\n  return db.query("SELECT * FROM users WHERE name = \'" + name + "\'")\n}\n',
  )
  // Codex reads only in repositories by default.
  execFileSync('git', ['init', '--quiet'], { cwd: stage.cwd })
  const live = await stage.start({ prompt: 'SAY: I wrote db.js for you.', channel: 'acp' })
  parent = await stage.until('the answer', async () => {
    const now = stage.server.context.live.list().find(({ id }) => id === live.id)
    return now?.state === 'idle' && now.session !== now.id && { agent: now.agent, session: now.session }
  })
})
afterAll(() => stage[Symbol.asyncDispose]())

const getPath = (key: typeof parent) => `/session/${key.agent}/${key.session}`
const at = (key: typeof parent) => stage.url + getPath(key)
const review = async (page: Page, id: string): Promise<Review> =>
  page.evaluate(async (path) => (await fetch(path)).json() as Promise<Review>, `/api/reviews/${id}`)
const shoot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['SHOTS']
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}
const isHit = (page: Page) => page.evaluate(() => 'hit' in globalThis)

it('sends a message to two reviewers, shows their agreement, and sends it back', async () => {
  const page = await stage.open({ viewport: phone, at: getPath(parent) })
  const said = page.getByRole('article', { name: 'Gemini' }).filter({ hasText: 'I wrote db.js' }).first()
  await said.waitFor()
  await said.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('button', { name: /^Send to review/ }).click()

  const sheet = page.getByRole('dialog', { name: /^Review:/ })
  // All installed agents except for the author.
  await expect.poll(() => sheet.getByRole('checkbox', { name: 'Claude' }).isChecked()).toBe(true)
  await expect.poll(() => sheet.getByRole('checkbox', { name: 'Codex' }).isChecked()).toBe(true)
  expect(await sheet.getByRole('checkbox', { name: 'Gemini' }).isChecked()).toBe(false)
  await sheet.getByLabel('Instructions', { exact: true }).fill('SCENARIO: review-both')
  await sheet.getByRole('button', { name: 'Save instructions' }).click()
  await sheet.getByLabel('Save as').fill('Look at the SQL')
  await sheet.getByRole('button', { name: 'Save', exact: true }).click()
  const saved = sheet.getByRole('button', { name: 'Look at the SQL' })
  await expect.poll(() => saved.getAttribute('aria-pressed')).toBe('true')
  expect(await violations(page)).toEqual([])
  await shoot(page, 'review-sheet-phone')
  await sheet.getByRole('button', { name: 'Start 2 reviewers' }).click()

  const panel = page.getByTestId('review-panel')
  await panel.getByTestId('reviewer').nth(1).waitFor()
  await shoot(page, 'review-running-phone')
  await panel.getByText('Changes requested').first().waitFor({ timeout: 100_000 })
  await expect.poll(() => panel.getByTestId('reviewer').count()).toBe(2)
  await panel.getByText('Running').waitFor({ state: 'detached', timeout: 100_000 })
  const finding = panel.getByTestId('finding')
  await expect.poll(() => finding.count()).toBe(1)
  await expect.poll(() => finding.getAttribute('data-standing')).toBe('agreed')
  await expect.poll(() => finding.innerText()).toContain('Codex')
  const told = await finding.innerText()
  expect(told).toContain('Critical')
  expect(told).toContain('Agreed')
  expect(told).toContain(attack)
  for (const name of ['Claude', 'Codex']) expect(told).toContain(name)
  expect(await isHit(page)).toBe(false)
  // About half of the phone.
  const box = (await panel.boundingBox())!
  expect(box.height / phone.height).toBeGreaterThan(0.45)
  expect(box.height / phone.height).toBeLessThan(0.65)
  await finding.scrollIntoViewIfNeeded()
  await shoot(page, 'review-finding-phone')
  expect(await violations(page, '[data-testid=review-panel]')).toEqual([])

  await finding.getByRole('checkbox').check()
  await panel.getByLabel('Note to the agent').fill('SAY: I shall fix it.')
  await panel.getByRole('button', { name: 'Send back 1' }).click()
  await panel.getByText('Sent back').first().waitFor()
  // Minimised, it covers nothing.
  await panel.getByRole('button', { name: 'Minimise' }).click()
  await page.getByText('I shall fix it.').first().waitFor()
  const bar = page.getByTestId('review-bar')
  await expect.poll(() => bar.getAttribute('aria-label')).toContain('1 review · 1 finding')
  const mark = page.getByTestId('review-mark')
  await expect
    .poll(() => mark.innerText())
    .toMatch(/A message[\s\S]*1 agreed · Sent back[\s\S]*Changes requested/)
  expect(await violations(page, '[data-testid=review-mark]')).toEqual([])
  await shoot(page, 'review-mark-phone')

  // Everything is restored after a reload, and opens from its mark.
  await page.reload()
  await bar.waitFor()
  await mark.first().click()
  await panel.getByTestId('finding').waitFor()
  await panel.getByRole('link', { name: 'db.js:2' }).click()
  await expect.poll(() => page.url()).toContain('/files?path=db.js&line=2')
  await page.goto(at(parent))
  await panel.getByRole('link', { name: 'Codex session' }).click()
  await expect.poll(() => page.url()).toContain('/session/codex/')
  expect(stage.consoleErrors).toEqual([])
})

it('shows reviews in tabs with disputes, cancels and deletes them, and reports a conflict', async () => {
  const page = await stage.open({ viewport: desktop, theme: 'dark' })
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
  const start = (reviewers: object[]): Promise<Review> =>
    page.evaluate(
      async (body) => {
        const answer = await fetch('/api/reviews', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        return (await answer.json()) as Review
      },
      { parent, what: { kind: 'diff', text: '+ x' }, reviewers },
    )
  const split = await start([
    { agent: 'claude', instruction: 'SCENARIO: review-strict' },
    { agent: 'codex', instruction: 'SCENARIO: review-mild' },
  ])
  const slow = await start([{ agent: 'claude', instruction: 'SCENARIO: silent' }])
  await page.goto(at(parent))
  const marks = page.getByTestId('review-mark')
  await marks.filter({ hasText: 'Reviewers disagree' }).waitFor({ timeout: 100_000 })
  await marks.filter({ hasText: 'Reviewers disagree' }).click()
  await marks.filter({ hasText: 'Running' }).click()

  const panel = page.getByTestId('review-panel')
  const tabs = panel.getByRole('tab')
  await expect.poll(() => tabs.count()).toBe(2)
  await panel.getByText('0 of 1 finished').waitFor()
  await panel.getByRole('button', { name: 'Cancel review' }).click()
  await panel.getByRole('status').filter({ hasText: 'Cancelled' }).waitFor()
  await expect.poll(() => review(page, slow.id)).toMatchObject({ state: 'cancelled' })
  // Arrow keys go the other way.
  await tabs.nth(1).press('ArrowLeft')
  await expect.poll(() => tabs.nth(0).getAttribute('aria-selected')).toBe('true')
  const findings = panel.getByTestId('finding')
  await expect.poll(() => findings.count()).toBe(3)
  const standings = await findings.evaluateAll((all) => all.map((each) => each.dataset['standing']))
  const { groups } = await review(page, split.id)
  expect(standings).toEqual(groups.map(({ standing }) => standing))
  expect(new Set(standings)).toEqual(new Set(['agreed', 'disputed', 'single']))
  const disputed = panel.locator('[data-standing=disputed]')
  await expect
    .poll(() => disputed.innerText())
    .toMatch(/Agrees[\s\S]*Claude[\s\S]*Disagrees[\s\S]*Codex[\s\S]*closed by the pool/)
  // A column beside the conversation.
  const column = (await panel.boundingBox())!
  const list = (await page.getByTestId('messages').boundingBox())!
  expect(list.x + list.width).toBeLessThanOrEqual(column.x + 1)
  expect(column.height).toBeGreaterThan(700)
  await shoot(page, 'review-desktop-dark')
  expect(await violations(page, '[data-testid=review-panel]')).toEqual([])

  // The session to send it to has ended.
  const { live } = stage.server.context
  await live.submit({ id: 'end', client: 'test', target: parent, body: { kind: 'end' } })
  await stage.until('its end', () => live.list().every(({ state }) => state === 'ended'))
  await disputed.getByRole('checkbox').check()
  await panel.getByRole('button', { name: 'Send back 1' }).click()
  await panel.getByRole('alert').filter({ hasText: 'is not running' }).waitFor()

  await panel.getByRole('button', { name: 'Delete review' }).click()
  await panel.getByRole('button', { name: 'Delete permanently?' }).click()
  await expect.poll(() => tabs.count()).toBe(1)
  const left = await page.evaluate(
    async (path) => ((await (await fetch(path)).json()) as { reviews: ReviewMark[] }).reviews,
    `/api/sessions/${parent.agent}/${parent.session}/reviews`,
  )
  expect(left.map(({ id }) => id)).not.toContain(split.id)
  await expect.poll(() => marks.filter({ hasText: 'Reviewers disagree' }).count()).toBe(0)
  expect(await isHit(page)).toBe(false)
})
