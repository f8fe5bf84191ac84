import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LiveInfo } from '@remora/protocol'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'
import { desktop, type WebStage, webStage } from './stage.test-data.ts'
import { violations } from './page.test-data.ts'

/** An image of one red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  const home = join(stage.cwd, '..')
  await mkdir(join(home, '.gemini/commands/git'), { recursive: true })
  await writeFile(join(home, '.gemini/commands/git/commit.toml'), 'description = "Writes it"\nprompt = "x"')
  await mkdir(join(stage.cwd, 'src'), { recursive: true })
  await writeFile(join(stage.cwd, 'src/parser.ts'), '')
  await writeFile(join(stage.cwd, 'src/my notes.md'), '')
  await writeFile(join(stage.cwd, '.env'), 'KEY=1')
  execFileSync('git', ['init', '--quiet', '-b', 'trunk'], { cwd: stage.cwd })
})
afterAll(() => stage[Symbol.asyncDispose]())

const field = (page: Page): Locator => page.getByTestId('composer').getByRole('textbox')
const send = (page: Page): Promise<void> => page.getByRole('button', { name: 'Send', exact: true }).click()
const queue = (page: Page): Locator => page.getByTestId('queue').getByRole('listitem')
const commands = (live: LiveInfo) =>
  stage.server.context.ledger.commands.list({ session: { agent: live.agent, session: live.session } })

/** A session of its own, and a page that shows it. */
async function openSession(
  prompt: string,
  options?: Parameters<WebStage['open']>[0],
): Promise<{ page: Page; live: LiveInfo }> {
  const live = await stage.start({ prompt })
  const page = await stage.open({ ...options, at: `/session/gemini/${live.session}` })
  await page.getByTestId('messages').getByText(prompt, { exact: true }).first().waitFor()
  return { page, live }
}

/** Pastes an image as the clipboard does. */
async function pastePicture(page: Page): Promise<void> {
  await field(page).evaluate((element, data) => {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([bytes], 'dot.png', { type: 'image/png' }))
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, png)
}

describe('the composer', () => {
  it('sends a prompt with the button, and with Enter on a keyboard', async () => {
    const { page } = await openSession('first words', { viewport: desktop })
    await field(page).fill('by the button')
    await send(page)
    await page.getByTestId('messages').getByText('You said: by the button').waitFor()
    await field(page).pressSequentially('one')
    await field(page).press('Shift+Enter')
    await field(page).pressSequentially('two')
    expect(await field(page).inputValue()).toBe('one\ntwo')
    await field(page).press('Enter')
    await page.getByTestId('messages').getByText('You said: one').waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')
    // The answer is on the screen before the ledger has the prompt, and only stored prompts are recalled.
    await page.locator('[data-message]').getByText('one\ntwo', { exact: true }).waitFor()
    await field(page).press('ArrowUp')
    await expect.poll(() => field(page).inputValue()).toBe('one\ntwo')
    await field(page).press('ArrowUp')
    await expect.poll(() => field(page).inputValue()).toBe('by the button')
  })

  it('keeps a draft over a reload', async () => {
    const { page } = await openSession('draft here')
    await field(page).fill('not finished')
    await pastePicture(page)
    await page.locator('[data-state=ready]').waitFor()
    await page.reload()
    await stage.until('the words are back', async () => (await field(page).inputValue()) === 'not finished')
    await page.locator('[data-state=ready] img').waitFor()
    await expect
      .poll(() =>
        page.locator('[data-state=ready] img').evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBe(1)
  })

  it('sends a pasted image to the agent', async () => {
    const { page, live } = await openSession('a picture comes')
    await pastePicture(page)
    await page.locator('[data-state=ready]').waitFor()
    await field(page).fill('what is this')
    await send(page)
    const body = await stage.until(
      'the command is stored',
      async () =>
        (await commands(live)).find((command) => JSON.stringify(command.body).includes('what is this'))?.body,
    )
    expect(body).toMatchObject({
      content: [
        { type: 'image', name: 'dot.png', source: { type: 'file', media_type: 'image/png' } },
        { type: 'text', text: 'what is this' },
      ],
    })
    await page.getByRole('list', { name: 'Attached files' }).waitFor({ state: 'detached' })
  })

  it('keeps an image while offline, and sends it later', async () => {
    const { page } = await openSession('no net for pictures')
    // Only uploads fail: after a complete disconnect the app would retry by itself.
    await page.route('**/api/uploads?*', (route) => route.abort('internetdisconnected'))
    await pastePicture(page)
    await page.getByRole('button', { name: 'Retry dot.png' }).waitFor()
    await page.unroute('**/api/uploads?*')
    await page.getByRole('button', { name: 'Retry dot.png' }).click()
    await page.locator('[data-state=ready]').waitFor()
    await page.getByRole('button', { name: 'Remove dot.png' }).click()
    await expect.poll(() => page.getByRole('list', { name: 'Attached files' }).count()).toBe(0)
  })

  it('completes the commands of the agent', async () => {
    const { page } = await openSession('commands please', { viewport: desktop })
    await field(page).pressSequentially('/co')
    const list = page.getByRole('listbox', { name: 'Commands' })
    await list.getByRole('option', { name: /compress/ }).waitFor()
    await list.getByRole('option', { name: /git:commit.*yours/ }).waitFor()
    await field(page).press('ArrowDown')
    const chosen = await list.getByRole('option', { selected: true }).innerText()
    await field(page).press('Tab')
    await expect.poll(() => field(page).inputValue()).toBe(`${chosen.split('\n')[0]!.trim()} `)
    await field(page).fill('/')
    await list.waitFor()
    await field(page).press('Escape')
    await list.waitFor({ state: 'detached' })
  })

  it('runs a known command, and sends any other slash as text', async () => {
    const { page, live } = await openSession('slashes please')
    const createBody = (text: string) =>
      stage.until(`${text} is stored`, async () => {
        const found = (await commands(live)).find((command) => JSON.stringify(command.body).includes(text))
        return found?.body
      })
    await field(page).fill('/compress now')
    await page.getByText('Runs /compress').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await createBody('/compress now')).toMatchObject({ promptKind: 'slash' })
    await field(page).fill('/nothing like that')
    await page.getByText('Unknown command. It is sent as text.').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await createBody('/nothing like that')).not.toHaveProperty('promptKind')
    await field(page).fill('!touch pwned')
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await createBody('!touch pwned')).not.toHaveProperty('promptKind')
  })

  it('finds files by some letters, and none with keys', async () => {
    const { page } = await openSession('files please')
    await field(page).pressSequentially('look at @prsr')
    const list = page.getByRole('listbox', { name: 'Files' })
    await list.getByRole('option', { name: /parser\.ts/ }).click()
    await expect.poll(() => field(page).inputValue()).toBe('look at @src/parser.ts ')
    await field(page).pressSequentially('@notes')
    await list.getByRole('option', { name: /my notes/ }).click()
    await expect.poll(() => field(page).inputValue()).toBe('look at @src/parser.ts @src/my\\ notes.md ')
    await field(page).pressSequentially('@.env')
    await page.getByText('No files match').waitFor()
  })

  it('resumes an ended session', async () => {
    const { page, live } = await openSession('soon over')
    await page.getByRole('button', { name: 'Session actions' }).click()
    await page.getByRole('button', { name: 'End session' }).click()
    await page
      .getByRole('dialog', { name: 'End this session?' })
      .getByRole('button', { name: 'End session' })
      .click()
    await page.getByText('Session ended. Send a message to resume it.').waitFor()
    await field(page).fill('here again')
    await send(page)
    await page.getByTestId('messages').getByText('You said: here again').waitFor()
    expect(stage.server.context.live.of(live)?.id).not.toBe(live.id)
  })
})

describe('the queue', () => {
  it('shows, edits and withdraws queued prompts', async () => {
    const { page, live } = await openSession('slow')
    for (const words of ['the first', 'the second', 'the third']) {
      await field(page).fill(words)
      await send(page)
    }
    await expect
      .poll(() => queue(page).locator('p:first-child').allInnerTexts())
      .toEqual(['the first', 'the second', 'the third'])
    await queue(page).nth(0).getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('the first, better')
    await page.getByRole('button', { name: 'Save' }).click()
    await queue(page).getByText('the first, better').waitFor()
    await queue(page).nth(1).getByRole('button', { name: 'Withdraw' }).click()
    await stage.until('two wait', async () => (await queue(page).count()) === 2)
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.getByTestId('messages').getByText('You said: the first, better').waitFor()
    await page.getByTestId('messages').getByText('You said: the third').waitFor()
    await stage.until('none waits', async () => (await queue(page).count()) === 0)
    const states = async () =>
      (await commands(live)).filter(({ body }) => body.kind === 'prompt').map(({ state }) => state)
    await expect.poll(states).toEqual(['done', 'done', 'withdrawn', 'done'])
  })

  it('sends a prompt written offline once', async () => {
    const { page, live } = await openSession('before the tunnel')
    await page.context().setOffline(true)
    // Going offline affects only new connections.
    await stage.restart()
    await page.getByTestId('connection').waitFor()
    await field(page).fill('from the tunnel')
    await send(page)
    await queue(page).getByText('Not sent yet').waitFor()
    await page.context().setOffline(false)
    await page.getByTestId('messages').getByText('You said: from the tunnel').waitFor()
    await stage.until('nothing waits', async () => (await queue(page).count()) === 0)
    const sent = (await commands(live)).filter(({ body }) => JSON.stringify(body).includes('from the tunnel'))
    expect(sent).toHaveLength(1)
  })
})

describe('the status bar', () => {
  it('interrupts with Escape', async () => {
    const { page } = await openSession('slow', { viewport: desktop })
    const status = page.getByTestId('status')
    await status.getByRole('button', { name: 'Interrupt' }).waitFor()
    await field(page).press('Escape')
    await status.getByText('Ready').waitFor()
    await expect.poll(() => status.getByRole('button', { name: 'Interrupt' }).count()).toBe(0)
  })

  it('offers the modes of the agent, and reports a rejected one', async () => {
    const { page } = await openSession('modes please')
    await page
      .getByTestId('status')
      .getByRole('button', { name: /^Mode:/ })
      .click()
    const sheet = page.getByRole('dialog')
    for (const name of ['Manual', 'Auto edit', 'Plan', 'YOLO'])
      await sheet.getByRole('button', { name }).waitFor()
    // The fake Gemini rejects this mode at once. Ignored keys, as for the others, take most of a minute.
    await sheet.getByRole('button', { name: 'YOLO' }).click()
    await page.getByText('The agent rejected this').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Mode: Manual' }).count()).toBe(1)
  })
})

describe('the to-do list of the agent', () => {
  it('is in the status bar, and opens with a tap', async () => {
    const { page, live } = await openSession('make a list')
    await page.getByTestId('messages').getByText('You said: make a list').waitFor()
    const story = new Story({ agent: live.agent, session: live.session, source: 'list' })
    const input = {
      todos: [
        { content: 'Look at it', status: 'completed' },
        { content: 'Fix it', status: 'in_progress' },
      ],
    }
    await stage.server.context.ledger.append(
      story.tell({
        type: 'tool_use',
        entity: 'list',
        message: 'm',
        name: 'TodoWrite',
        input,
        at: Date.now(),
      }),
    )
    await page.getByTestId('status').getByRole('button', { name: 'To do: 1 / 2' }).click()
    const sheet = page.getByRole('dialog', { name: '1 of 2 done' })
    await sheet.getByText('Fix it').waitFor()
    expect(await violations(page)).toEqual([])
  })
})

describe('a message', () => {
  it('is copied to the draft of another session', async () => {
    const other = await stage.start({ prompt: 'I am the other one' })
    const { page } = await openSession('tell it to the other one')
    const said = page.getByRole('article', { name: 'Gemini' }).filter({ hasText: 'You said: tell it' })
    await said.getByRole('button', { name: 'Message actions' }).click()
    await page.getByRole('button', { name: 'Copy to another session' }).click()
    const sheet = page.getByRole('dialog', { name: 'Copy to another session' })
    // With its state and mode.
    await sheet
      .getByText(/· Ready · Manual$/)
      .first()
      .waitFor()
    expect(await violations(page)).toEqual([])
    await sheet.getByRole('button', { name: /I am the other one/ }).click()
    await page.waitForURL((url) => url.pathname.endsWith(other.session))
    await expect.poll(() => field(page).inputValue()).toBe('You said: tell it to the other one')
    expect((await commands(other)).filter(({ body }) => body.kind === 'prompt').length).toBeLessThan(2)
  })

  it('is forked at the end of the session', async () => {
    const { page, live } = await openSession('fork me here')
    const said = page.getByRole('article', { name: 'Gemini' }).filter({ hasText: 'You said: fork me' })
    await said.getByRole('button', { name: 'Message actions' }).click()
    await page.getByRole('button', { name: /^Fork from here/ }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(live.session))
    await field(page).waitFor()
    expect(stage.server.context.live.of(live)?.id).toBe(live.id)
  })
})

describe('the header', () => {
  it('shows the title and folder, and renames the session', async () => {
    const { page, live } = await openSession('call me something')
    await page.getByRole('main').getByText('work · trunk').waitFor()
    await page.getByRole('button', { name: 'Session actions' }).click()
    await page.getByText(`remora attach ${live.id}`).waitFor()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('<b>Named</b>')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: '<b>Named</b>' }).waitFor()
    await expect
      .poll(async () => (await stage.server.context.ledger.session(live))?.name)
      .toBe('<b>Named</b>')
  })

  it('forks the session', async () => {
    const { page, live } = await openSession('copy me')
    await page.getByTestId('messages').getByText('You said: copy me').waitFor()
    await page.getByRole('button', { name: 'Session actions' }).click()
    await page.getByRole('button', { name: /Fork session/ }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(live.session))
    await field(page).fill('in the copy')
    await send(page)
    await page.getByTestId('messages').getByText('You said: in the copy').waitFor()
    expect(stage.server.context.live.of(live)?.id).toBe(live.id)
  })
})

it('logs no errors', () => {
  const fault = /offline|ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|Failed to load resource|WebSocket/i
  expect(stage.consoleErrors.filter((text) => !fault.test(text))).toEqual([])
})
