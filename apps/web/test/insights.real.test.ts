import { desires, inspect, paths, stats } from '@remora/insights'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'
import { fillLedger } from '../../../packages/server/src/insights/failures.test-data.ts'
import { desktop, phone, type WebStage, webStage } from './stage.test-data.ts'
import { violations } from './page.test-data.ts'

const attack = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>'
const secret = 'sk-ant-api03-abcdefghijklmnopqrstu'
const dayMs = 86_400_000

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
})
afterAll(() => stage[Symbol.asyncDispose]())

const number = (text: string): number => Number(text.replaceAll(/[^\d.]/g, ''))

/** The number with this label in the tiles. */
async function tile(page: Page, name: string): Promise<string> {
  return page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .innerText()
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

it('explains what to do without data', async () => {
  const page = await stage.open()
  await page.getByRole('link', { name: 'Insights' }).click()
  await page.getByText('No tool calls yet').waitFor()
  await page.getByText('remora import').waitFor()
  expect(await violations(page, 'main')).toEqual([])
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByText('No token usage').waitFor()
  expect(stage.consoleErrors).toEqual([])
})

it('shows the figures of the insights package as charts and tables', async () => {
  const { ledger } = stage.server.context
  await fillLedger(ledger, { calls: 2_000, failed: 0.25, days: 60 })
  await hostile()
  const page = await stage.open({ viewport: phone })
  await page.getByRole('link', { name: 'Insights' }).click()
  await page.getByLabel('Time', { exact: true }).selectOption('All time')

  const calls = await ledger.calls()
  const failures = desires(calls)
  const all = stats(calls, failures)
  await expect.poll(async () => number(await tile(page, 'Failures'))).toBe(all.failed)
  await expect.poll(async () => number(await tile(page, 'Paths'))).toBe(paths(failures).length)
  expect(number(await tile(page, 'Sessions'))).toBe(all.sessions)
  expect(number(await tile(page, 'Failure rate'))).toBe(Math.round((all.failed / all.calls) * 100))

  // The worst path is first, with its count.
  const [worst] = paths(failures)
  const first = page.locator('a[href*="/insights/path/"]').first()
  await first.waitFor()
  await expect.poll(() => first.innerText()).toContain(`${worst!.count} ×`)
  expect(await first.innerText()).toContain(worst!.name)
  // Each agent with failed and total calls.
  for (const { name, failed, calls: tried } of all.agents) {
    const title = { gemini: 'Gemini', claude: 'Claude', codex: 'Codex', opencode: 'OpenCode' }[name]!
    const row = page
      .getByRole('region', { name: 'By agent' })
      .getByRole('listitem')
      .filter({ hasText: title })
    await expect
      .poll(() => row.innerText())
      .toContain(`${failed.toLocaleString('en')} of ${tried.toLocaleString('en')}`)
  }

  // The chart is drawn, and its table has the same total.
  const chart = page.getByRole('region', { name: 'Failures over time' }).first()
  await chart.locator('canvas').waitFor()
  await expect.poll(() => inked(page)).toBeGreaterThan(200)
  await chart.getByRole('button', { name: 'Show table' }).click()
  await expect
    .poll(async () => {
      const cells = await chart.locator('tbody tr td:last-child').allInnerTexts()
      return cells.reduce((sum, text) => sum + number(text), 0)
    })
    .toBe(all.failed)
  expect(await violations(page, 'main')).toEqual([])

  // A filter applies everywhere.
  await page.getByLabel('Time', { exact: true }).selectOption('7 days')
  const today = new Date()
  const since = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 6).getTime()
  const week = desires(await ledger.calls({ since, failed: true }))
  await expect.poll(async () => number(await tile(page, 'Failures'))).toBe(week.length)
  await page.getByLabel('Agent', { exact: true }).selectOption('Codex')
  const ofCodex = week.filter(({ agent }) => agent === 'codex')
  await expect
    .poll(async () =>
      ofCodex.length === 0
        ? page.getByText(/No failures|No tool calls/).count()
        : number(await tile(page, 'Failures')),
    )
    .toBe(ofCodex.length || 1)
  expect(stage.consoleErrors).toEqual([])
})

it('shows a desire path with a fix to copy, and runs nothing in it', async () => {
  const { ledger } = stage.server.context
  const page = await stage.open({ viewport: phone, theme: 'dark' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('link', { name: 'Insights' }).click()
  await page.getByLabel('Project', { exact: true }).selectOption('hostile')
  await page.getByRole('link', { name: /pip is not installed/ }).click()
  await page.getByRole('heading', { name: 'pip is not installed' }).waitFor()
  const failures = desires(await ledger.calls({ failed: true, cwd: '/home/me/hostile' }))
  const own = failures.filter(({ pattern }) => pattern === 'Bash: missing-command pip')
  const about = inspect(own)
  await expect.poll(() => tile(page, 'Count')).toBe(`${about.count} ×`)
  expect(number(await tile(page, 'Sessions'))).toBe(about.sessions)
  await page.getByText('remora alias pip pip3 --replace').waitFor()
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('remora alias pip pip3 --replace')
  await page.getByText(`${about.count} failures fixed in the same turn`).waitFor()
  const text = await page.getByRole('main').innerText()
  expect(text).toContain('[secret]')
  expect(text).not.toContain(secret)
  expect(await violations(page, 'main')).toEqual([])
  await shoot(page, 'insights-path-phone-dark')

  // Agent text stays text: in names, inputs, errors and folders.
  await page.goto(`${stage.url}/insights`)
  await page.locator('a[href*="/insights/path/"]').filter({ hasText: '<img' }).first().click()
  await page.getByRole('heading', { name: 'Latest failures' }).waitFor()
  await expect.poll(() => page.getByRole('main').innerText()).toContain(attack)
  expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
  expect(await page.locator('main img').count()).toBe(0)

  // An unknown URL says so, with a link.
  await page.goto(`${stage.url}/insights/path/nothing`)
  await page.getByText('No matching failures').waitFor()
  expect(stage.consoleErrors.filter((text) => !text.includes('404'))).toEqual([])
})

it('shows tokens and cost, and names models without a price', async () => {
  const page = await stage.open({ viewport: desktop })
  await page.getByRole('link', { name: 'Insights' }).click()
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByText('Cost unknown for house-model').waitFor()
  await expect.poll(() => tile(page, 'Tokens')).toBe('2M')
  expect(await tile(page, 'Cost')).toBe('$5.00')
  const models = page.getByRole('region', { name: 'By model' })
  expect(await models.innerText()).toMatch(/claude-opus-4-8[\s\S]*1M · \$5\.00[\s\S]*house-model[\s\S]*1M/)
  expect(await models.innerText()).not.toMatch(/house-model[\s\S]*\$/)
  await expect.poll(() => page.locator('canvas').count()).toBe(2)
  expect(await violations(page, 'main')).toEqual([])
  await shoot(page, 'insights-usage-desktop')
})

it('shows what ran without an answer, the riskiest first', async () => {
  const page = await stage.open({ viewport: phone })
  await page.getByRole('link', { name: 'Insights' }).click()
  await page.getByRole('link', { name: 'Without you' }).click()
  await page.getByLabel('Project', { exact: true }).selectOption('hostile')
  const ran = page.getByRole('region', { name: 'Ran without your answer' })
  await expect.poll(() => ran.getByRole('article').count()).toBe(6)
  await expect.poll(() => tile(page, 'Ran')).toBe('6')
  const text = await ran.innerText()
  expect(text).toContain('installs packages or runs their scripts')
  expect(text).toContain('No answer was seen')
  expect(text).toContain('pip3 install x')
  expect(text).not.toContain(secret)
  expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
  expect(await page.locator('main img').count()).toBe(0)
  expect(await violations(page, 'main')).toEqual([])
  await shoot(page, 'insights-unasked-phone')
  // The server sends only the first ones, and the list says so.
  await page.getByLabel('Project', { exact: true }).selectOption('All projects')
  await ran.getByRole('button', { name: /of little or no risk$/ }).click()
  await page.getByText(/^The first 100 of [\d,]+\.$/).waitFor()
  await page.getByLabel('Project', { exact: true }).selectOption('hostile')
  await expect.poll(() => ran.getByRole('article').count()).toBe(6)
  await ran.getByRole('link').first().click()
  await expect.poll(() => page.url()).toContain('/session/claude/h')
  expect(stage.consoleErrors.filter((line) => !line.includes('404'))).toEqual([])
})

/** How many pixels of the first chart are not empty. */
function inked(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector('canvas')!
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let at = 3; at < data.length; at += 4) if (data[at]! > 0) count++
    return count
  })
}

/** Sessions with hostile content, secrets, and a known fix. */
async function hostile(): Promise<void> {
  const { ledger } = stage.server.context
  for (const session of ['h1', 'h2']) {
    const story = new Story({ session, source: session })
    const at = Date.now() - dayMs
    const run = (entity: string, name: string, command: string, error?: string) =>
      story.tell(
        { type: 'tool_use', entity: `${session}-${entity}`, name, input: { command }, at },
        {
          type: 'tool_result',
          entity: `${session}-${entity}`,
          status: error ? 'error' : 'success',
          content: error ?? 'ok',
          at,
        },
      )
    await ledger.append([
      ...story.tell({ type: 'session', entity: 's', cwd: '/home/me/hostile', title: attack, at }),
      ...story.tell({
        type: 'message',
        entity: 'p',
        role: 'user',
        content: [{ type: 'text', text: 'x' }],
        at,
      }),
      ...run(
        'a',
        'Bash',
        `KEY=${secret} pip install x`,
        'Exit code 127\nbash: line 1: pip: command not found',
      ),
      ...run('b', 'Bash', `KEY=${secret} pip3 install x`),
      ...run('c', `Tool${attack}`, attack, `Exit code 1\n${attack}`),
      ...(session === 'h1'
        ? story.tell(
            {
              type: 'usage',
              entity: 'm1',
              scope: 'message',
              usage: { inputTokens: 1_000_000 },
              models: { 'claude-opus-4-8': { inputTokens: 1_000_000 } },
              at,
            },
            {
              type: 'usage',
              entity: 'm2',
              scope: 'message',
              usage: { inputTokens: 1_000_000 },
              models: { 'house-model': { inputTokens: 1_000_000 } },
              at,
            },
          )
        : []),
    ])
  }
}
