import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agents } from '@remora/sdk'
import { saveAddedAgent } from '@remora/sdk/plugins'
import { fakeAgent } from '../../../packages/sdk/src/channels/acp/fake-agent/command.test-data.ts'
import { evil, hostilePast, keptSessions, pressLong, somePast, store } from './sessions.test-data.ts'
import { type WebStage, desktop, phone, webStage } from './stage.test-data.ts'

let stage: WebStage
let home: string
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  home = stage.server.context.home
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(() => void (stage.consoleErrors.length = 0))

/** Opens a paired device that shows the list. */
const opened = async (...options: Parameters<WebStage['open']>) => {
  const page = await stage.open(...options)
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
  await page
    .getByText(/History|No sessions yet/)
    .first()
    .waitFor()
  return page
}
const list = (page: Page) => page.getByTestId('sessions')
const row = (page: Page, name: string | RegExp) => list(page).getByRole('link', { name })
const getMenu = (page: Page, title: string) => page.getByRole('button', { name: `Actions for ${title}` })
const look = async (page: Page, name: string) => {
  if (process.env['SHOTS']) await page.screenshot({ path: join(process.env['SHOTS'], `${name}.png`) })
}
const start = (page: Page) => page.getByRole('button', { name: 'Start', exact: true })

it('explains what to do without sessions', async () => {
  const page = await opened()
  await page.getByText('No sessions yet').waitFor()
  await page.getByRole('button', { name: 'Try the demo' }).waitFor()
  await look(page, 'empty')
  await page.getByRole('button', { name: 'New session' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/new')
  await page.getByRole('textbox', { name: 'Folder' }).waitFor()
  await page.goto(`${stage.url}/search?q=anything`)
  await page.getByText('No results').waitFor()
})

describe.each([
  ['phone', phone],
  ['desktop', desktop],
] as const)('on a %s', (name, viewport) => {
  it('shows history by project, filters it by agent, and collapses projects', async () => {
    await store(stage.server.context.ledger, somePast(home))
    const page = await opened({ viewport, theme: name === 'phone' ? 'light' : 'dark' })
    await row(page, /^Claude: Make the parser keep comments/).waitFor()
    await list(page).getByText('Comments are kept now').waitFor()
    await list(page).getByText('184k tokens').waitFor()
    // Other sessions may come before them, and rows far below are not drawn.
    const order = async () =>
      (await list(page).getByRole('button', { expanded: true }).allTextContents())
        .map((text) => /^[a-z]+/.exec(text)?.[0])
        .filter((each) => each === 'parser' || each === 'webshop')
    await expect.poll(order).toEqual(['parser', 'webshop'])
    await look(page, `list-${name}`)

    const group = page.getByRole('group', { name: 'Agents' })
    await group.getByRole('button', { name: 'Gemini' }).click()
    await row(page, /keep comments/).waitFor({ state: 'detached' })
    await row(page, /Checkout in two steps/).waitFor()
    await group.getByRole('button', { name: 'All' }).click()
    await row(page, /keep comments/).waitFor()

    await list(page)
      .getByRole('button', { name: /^parser/ })
      .click()
    await row(page, /keep comments/).waitFor({ state: 'detached' })
    // It is stored.
    await page.reload()
    await row(page, /Checkout in two steps/).waitFor()
    expect(await row(page, /keep comments/).count()).toBe(0)
    await list(page)
      .getByRole('button', { name: /^parser/ })
      .click()
    await row(page, /keep comments/).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/session/claude/c-parser')
    if (name === 'desktop')
      await expect.poll(() => row(page, /keep comments/).getAttribute('aria-current')).toBe('page')
    expect(stage.consoleErrors).toEqual([])
  })

  it('renames, pins and hides, and shows hidden sessions on request', async () => {
    const { ledger } = stage.server.context
    await store(ledger, somePast(home))
    const key = { agent: 'claude', session: 'c-notes' }
    const page = await opened({ viewport })
    await getMenu(page, 'Sort the notes by month').click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('  My notes ')
    await page.getByRole('button', { name: 'Save' }).click()
    await row(page, /My notes/).waitFor()
    await expect.poll(async () => (await ledger.session(key))?.name).toBe('My notes')

    await getMenu(page, 'My notes').click()
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await list(page).getByRole('heading', { name: 'Pinned' }).waitFor()
    await expect.poll(async () => (await ledger.session(key))?.pinned).toBe(true)

    // With a long press, or a right click.
    if (name === 'desktop') await row(page, /My notes/).click({ button: 'right' })
    else await pressLong(page, row(page, /My notes/))
    await page.getByRole('button', { name: 'Hide' }).click()
    await row(page, /My notes/).waitFor({ state: 'detached' })
    await expect.poll(async () => (await ledger.session(key))?.hidden).toBe(true)

    await page.getByRole('button', { name: 'Filter sessions' }).click()
    await page.getByRole('switch', { name: /^Hidden sessions/ }).click()
    await page.keyboard.press('Escape')
    await row(page, /My notes/).waitFor()
    await getMenu(page, 'My notes').click()
    await page.getByRole('button', { name: 'Show in list' }).click()
    await getMenu(page, 'My notes').click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await row(page, /Sort the notes by month/).waitFor()
    await expect.poll(() => ledger.session(key)).not.toHaveProperty('name')
    await ledger.annotate(key, { pinned: false })

    await ledger.archive([key], Date.now())
    await page.reload()
    await row(page, /Sort the notes by month.*Archived/).waitFor()
    await page.getByRole('button', { name: 'Filter sessions' }).click()
    await page.getByRole('switch', { name: /^Archived sessions/ }).click()
    await row(page, /Sort the notes/).waitFor({ state: 'detached' })
    await ledger.archive([key], null)
    expect(stage.consoleErrors).toEqual([])
  })

  it('finds text in all messages, and opens the message', async () => {
    await store(stage.server.context.ledger, somePast(home))
    const page = await opened({ viewport })
    await row(page, /keep comments/).waitFor()
    if (name === 'desktop') await page.keyboard.press('/')
    else await page.getByRole('link', { name: 'Search' }).click()
    const field = page.getByRole('searchbox')
    await field.waitFor()
    await page.getByText('Search all conversations').waitFor()
    await field.pressSequentially('trivia token')
    const results = page.getByRole('list', { name: 'Results' })
    await results.getByText('token', { exact: true }).waitFor()
    await expect.poll(() => results.locator('mark').allTextContents()).toEqual(['token', 'trivia'])
    await results.getByText('Answer', { exact: true }).waitFor()
    await look(page, `search-${name}`)
    await page.getByRole('main').getByRole('button', { name: 'Gemini' }).click()
    await page.getByText('No results').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'All' }).click()
    await results
      .getByRole('link', { name: /trivia/ })
      .first()
      .click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/session/claude/c-parser')
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/)
    // The query is still there.
    await page.goBack()
    await results.getByRole('link').first().waitFor()
    await expect.poll(() => field.inputValue()).toBe('trivia token')
    await field.fill('xylophone quartz')
    await page.getByText('No results').waitFor()
    expect(stage.consoleErrors).toEqual([])
  })

  it('starts a session with the chosen options, and remembers them', async () => {
    execFileSync('git', ['init', '-q', stage.cwd])
    const commit = '-c user.name=a -c user.email=a@b commit -q --allow-empty -m first'
    execFileSync('git', ['-C', stage.cwd, ...commit.split(' ')])
    await mkdir(join(stage.cwd, 'deep', 'er'), { recursive: true })
    const page = await stage.open({ viewport, at: '/new' })
    await page.getByRole('radio', { name: /Claude/ }).check()
    await page.getByText(/npm install -g @anthropic-ai/).waitFor()
    await expect.poll(() => start(page).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: /Gemini/ }).check()

    await page.getByRole('textbox', { name: 'Folder' }).fill('/there/is/no/such/folder')
    await page.getByRole('textbox', { name: 'Prompt' }).fill(`hello from the ${name}`)
    await start(page).click()
    await page.getByRole('alert').getByText('Choose an existing folder.').waitFor()
    await look(page, `new-${name}`)

    await page.getByRole('textbox', { name: 'Folder' }).fill('~')
    await page.getByRole('button', { name: 'Browse' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'work', exact: true }).click()
    await sheet.getByRole('button', { name: 'deep', exact: true }).click()
    await sheet.getByRole('button', { name: 'er', exact: true }).waitFor()
    await look(page, `browse-${name}`)
    await sheet.getByRole('button', { name: 'Use this folder: deep' }).click()
    const folder = page.getByRole('textbox', { name: 'Folder' })
    await expect.poll(() => folder.inputValue()).toMatch(/\/work\/deep$/)
    await page.getByRole('combobox', { name: 'Permissions' }).selectOption('auto_edit')
    await page.getByRole('switch', { name: /^Use a new worktree/ }).click()
    await page.getByRole('textbox', { name: /^Worktree name/ }).fill(`tree-${name}`)
    // The app is reopened later.
    await page.reload()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue())
      .toBe(`hello from the ${name}`)
    await page.getByRole('textbox', { name: 'Folder' }).fill(stage.cwd)
    await page.getByRole('combobox', { name: 'Permissions' }).selectOption('auto_edit')
    await page.getByRole('switch', { name: /^Use a new worktree/ }).click()
    await page.getByRole('textbox', { name: /^Worktree name/ }).fill(`tree-${name}`)
    const asked = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/api/live'),
    )
    await start(page).click()
    expect((await asked).postDataJSON()).toEqual({
      agent: 'gemini',
      cwd: stage.cwd,
      prompt: `hello from the ${name}`,
      mode: 'auto_edit',
      worktree: `tree-${name}`,
    })
    await page.getByTestId('messages').getByText(`You said: hello from the ${name}`).waitFor()
    const live = stage.server.context.live
      .list()
      .find(({ worktree }) => worktree?.branch === `remora/tree-${name}`)
    expect(live).toMatchObject({ agent: 'gemini', channel: 'terminal' })
    expect(existsSync(live!.cwd)).toBe(true)

    await page.goto(stage.url)
    const card = row(page, new RegExp(`hello from the ${name}`))
    await card.getByText('Ready').waitFor()
    await card.getByText(`remora/tree-${name}`).waitFor()
    await card.getByText('Manual').waitFor()
    await look(page, `live-${name}`)

    await page.goto(`${stage.url}/new?cwd=${encodeURIComponent('/elsewhere')}`)
    await expect.poll(() => page.getByRole('textbox', { name: 'Folder' }).inputValue()).toBe('/elsewhere')
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Permissions' }).inputValue())
      .toBe('auto_edit')
    await expect.poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('')

    await page.goto(stage.url)
    await list(page)
      .getByRole('button', { name: new RegExp(`Actions for hello from the ${name}`) })
      .click()
    await page.getByRole('button', { name: 'End session' }).click()
    await page.getByText('End this session?').waitFor()
    expect(stage.server.context.live.find(live!.id)?.state).not.toBe('ended')
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await card.getByText('Ready').waitFor({ state: 'detached' })
    await stage.until('it ended', () => stage.server.context.live.find(live!.id)?.state !== 'idle')
    expect(stage.consoleErrors.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
  })
})

it('shows waiting requests on top, and opens them', async () => {
  const page = await opened()
  const live = await stage.start({ prompt: 'ask touch' })
  await page.getByRole('button', { name: /1 request needs you/ }).waitFor()
  await row(page, /ask touch.*Waiting for you/).waitFor()
  await look(page, 'asks')
  await page.getByRole('button', { name: /1 request needs you/ }).click()
  await page.getByRole('alertdialog').waitFor()
  // Shown once, and not by the banner of the other screens.
  await expect.poll(() => page.getByTestId('ask-banner').count()).toBe(1)
  await stage.server.context.live.submit({ id: 'end', client: 'test', target: live, body: { kind: 'end' } })
})

it('shows the list offline, and says that search is unavailable', async () => {
  await store(stage.server.context.ledger, somePast(home))
  const page = await opened({ worker: true })
  await row(page, /keep comments/).waitFor()
  await page.evaluate(() => navigator.serviceWorker.ready)
  await stage.until('what was seen is kept', () => keptSessions(page))
  await page.context().setOffline(true)
  await page.reload()
  await row(page, /keep comments/).waitFor()
  await page.getByRole('group', { name: 'Agents' }).getByRole('button', { name: 'Codex' }).click()
  await expect.poll(() => row(page, /keep comments/).count()).toBe(0)
  await row(page, /Add an index/).waitFor()
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('comments')
  await page.getByText('Search runs on your computer').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('list', { name: 'Results' }).waitFor()
})

/** Whether hostile content ran, and how many dangerous elements exist. */
const ran = (page: Page) =>
  page.evaluate(() => ['broken' in globalThis, document.querySelectorAll('img, script:not([src])').length])

it('renders hostile titles as text', async () => {
  await store(stage.server.context.ledger, hostilePast(home))
  for (const viewport of [phone, desktop]) {
    const page = await opened({ viewport })
    await row(page, /onerror/)
      .first()
      .waitFor()
    await look(page, `hostile-${viewport.width}`)
    const { scrollWidth, clientWidth } = await list(page).evaluate((element) => ({
      scrollWidth: element.scrollWidth,
      clientWidth: element.clientWidth,
    }))
    expect(scrollWidth).toBe(clientWidth)
    await getMenu(page, evil).first().click()
    await page.getByRole('dialog').getByText('onerror').waitFor()
    expect(await ran(page)).toEqual([false, 0])
    await page.goto(`${stage.url}/search?q=zebra&agent=${encodeURIComponent(evil.slice(0, 60))}`)
    await page.getByRole('list', { name: 'Results' }).waitFor()
    await page.goto(`${stage.url}/search?q=zebra`)
    await page.getByRole('list', { name: 'Results' }).getByText('onerror').first().waitFor()
    expect(await ran(page)).toEqual([false, 0])
    await page.goto(`${stage.url}/new?cwd=${encodeURIComponent(evil)}&agent=${encodeURIComponent(evil)}`)
    await page.getByRole('group', { name: 'Recent' }).getByText('onerror').first().waitFor()
    expect(await ran(page)).toEqual([false, 0])
  }
  expect(stage.consoleErrors).toEqual([])
})

it('shows names and marks that arrive after the list, also of a server without short names', async () => {
  await store(stage.server.context.ledger, somePast(home))
  const page = await stage.open({ viewport: phone, paired: false })
  const gate = new EventEmitter()
  const opening = once(gate, 'open')
  await page.route('**/api/agents', async (route) => {
    const response = await route.fetch()
    const { agents } = (await response.json()) as { agents: object[] }
    await opening
    await route.fulfill({ response, json: { agents: agents.map((each) => ({ ...each, name: undefined })) } })
  })
  const { code } = stage.server.listening.pairing.create()
  await page.goto(`${stage.url}/#pair=${code}`)
  const marks = row(page, /Make the parser keep comments/).locator('[data-agent=claude]')
  await row(page, /^claude: Make the parser keep comments/).waitFor()
  await marks.locator('circle').first().waitFor({ state: 'attached' })
  gate.emit('open')
  await row(page, /^Claude Code: Make the parser keep comments/).waitFor()
  await marks.locator('path').waitFor({ state: 'attached' })
  // The chips follow the order of the server.
  const chips = page.getByRole('group', { name: 'Agents' }).getByRole('button')
  expect((await chips.allTextContents()).slice(1, 4)).toEqual(['Gemini CLI', 'Claude Code', 'Codex'])
  expect(stage.consoleErrors).toEqual([])
})

it('shows cached names and marks from the first paint on', async () => {
  await store(stage.server.context.ledger, somePast(home))
  const page = await opened({ viewport: phone })
  const parser = row(page, /^Claude: Make the parser keep comments/)
  await parser.waitFor()
  await page.route('**/api/agents', () => {
    // Never answered.
  })
  await page.addInitScript(() => {
    const unknown: string[] = []
    const wait = setTimeout
    Object.assign(globalThis, {
      unknown,
      // On a busy machine the cache may take longer than the first render waits for it.
      setTimeout: (run: () => void, ms?: number) => wait(run, ms === 150 ? 60_000 : ms),
    })
    new MutationObserver(() => {
      for (const circle of document.querySelectorAll('[data-agent=claude] circle'))
        unknown.push(circle.closest('a')?.textContent ?? '')
    }).observe(document, { childList: true, subtree: true })
  })
  for (const path of ['/', '/session/claude/c-parser']) {
    await page.goto(`${stage.url}${path}`)
    await (path === '/' ? parser : page.getByRole('article', { name: 'Claude' }).first()).waitFor()
    expect(await page.evaluate(() => Reflect.get(globalThis, 'unknown') as string[])).toEqual([])
  }
})

it('shows an agent with its own color and icon', async () => {
  const { id, brand } = agents().findLast((agent) => agent.brand)!
  await store(stage.server.context.ledger, [
    { agent: id, session: 'q-1', cwd: home, prompt: 'A branded session', answer: 'Yes.', ago: 5 },
  ])
  for (const theme of ['light', 'dark'] as const) {
    const page = await opened({ viewport: phone, theme })
    const mark = row(page, /A branded session/)
      .locator(`[data-agent=${id}]`)
      .first()
    await mark.locator('path').waitFor({ state: 'attached' })
    const { light, dark } = brand!.hue
    const color = await mark.evaluate((element) => getComputedStyle(element).color)
    expect(color).toBe(toRgb(theme === 'light' ? light : dark))
    expect(await mark.locator('path').getAttribute('d')).toBe(brand!.icon.path)
    await look(page, `brand-${theme}`)
  }
  expect(stage.consoleErrors).toEqual([])
})

it('offers the sign-in methods of an agent that demands one, and stays paired', async () => {
  const { remoraHome } = stage.server.context
  const behaviour = {
    signIn: 'account',
    authMethods: [
      { id: 'key', name: 'API key' },
      { id: 'account', name: 'Account', description: 'Opens a browser' },
    ],
  }
  const { command, args = [] } = fakeAgent(behaviour)
  await saveAddedAgent(remoraHome, {
    kind: 'acp',
    id: 'closed',
    title: 'Closed agent',
    addedAt: Date.now(),
    command,
    args,
  })
  const page = await stage.open({ at: `/new?agent=closed&cwd=${encodeURIComponent(stage.cwd)}` })
  await page.getByRole('textbox', { name: 'Prompt' }).fill('say hello')
  await start(page).click()
  const sheet = page.getByRole('dialog', { name: 'Sign in to Closed agent' })
  await sheet.getByText('Authentication required').waitFor()
  await look(page, 'sign-in')
  await sheet.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('alert').getByText('Authentication required').waitFor()
  await start(page).click()
  await sheet.getByRole('button', { name: /^Account/ }).click()
  await page.getByText('hello', { exact: true }).waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/session\/closed\//)
  // The browser logs the response that the sheet answers.
  expect(stage.consoleErrors.filter((text) => !text.includes('424'))).toEqual([])
})

const toRgb = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`

it('is quick with two thousand sessions', async () => {
  const past = Array.from({ length: 2_000 }, (_, index) => ({
    agent: ['gemini', 'claude', 'codex'][index % 3]!,
    session: `many-${index}`,
    cwd: `${home}/many/p${index % 30}`,
    prompt: `Thing number ${index}`,
    answer: 'Done. '.repeat(100),
    ago: 30_000 + index,
  }))
  await store(stage.server.context.ledger, past)
  const page = await opened()
  const height = () => list(page).evaluate((element) => element.scrollHeight)
  await expect.poll(height).toBeGreaterThan(5_000)
  expect(await list(page).locator('li').count()).toBeLessThan(60)
  // The end moves while rows are measured and loaded.
  await expect
    .poll(async () => {
      await list(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
      return page.getByRole('button', { name: 'Show earlier sessions' }).count()
    })
    .toBe(1)
  await list(page).getByRole('button', { name: /^p\d+/ }).first().waitFor()
  const before = await page
    .getByText(/^\d+ more$/)
    .last()
    .textContent()
  await page.getByRole('button', { name: 'Show earlier sessions' }).click()
  await expect
    .poll(() =>
      page
        .getByText(/^\d+ more$/)
        .last()
        .textContent(),
    )
    .not.toBe(before)
  expect(await page.locator('*').count()).toBeLessThan(1_500)
})
