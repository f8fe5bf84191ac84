import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LiveInfo } from '@remora/protocol'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { desktop, type WebStage, webStage } from './stage.test-data.ts'
import { violations } from './page.test-data.ts'

let stage: WebStage
let live: LiveInfo
let page: Page
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  stage.consoleErrors.length = 0
  live = await stage.start({ prompt: 'hello there' })
  await stage.until('it has answered', () => getState() === 'idle')
  live = stage.server.context.live.find(live.id) ?? live
})
afterEach(async () => {
  await page?.close()
  if (getState() !== 'ended') await end(live)
})

async function end({ agent, session, id }: LiveInfo): Promise<void> {
  const body = { kind: 'end' } as const
  await stage.server.context.live.submit({
    id: randomUUID(),
    client: 'test',
    target: { agent, session },
    body,
  })
  await stage.until('it has ended', () =>
    [undefined, 'ended'].includes(stage.server.context.live.find(id)?.state),
  )
}

const getState = (): string | undefined =>
  stage.server.context.live.list().find(({ id }) => id === live.id)?.state

async function openTerminal(options?: Parameters<WebStage['open']>[0]): Promise<void> {
  page = await stage.open({ ...options, at: `/session/${live.agent}/${live.session}/terminal` })
  await shows('You said: hello there')
}

const textNow = async (): Promise<string> => (await page.getByTestId('terminal-text').textContent()) ?? ''

const shows = (text: string): Promise<true> =>
  stage.until(`the screen shows ${text}`, async () => (await textNow()).includes(text))

function tmux(...args: string[]): string {
  return execFileSync('tmux', ['-S', join(dirname(stage.cwd), 'r', 'tmux.sock'), ...args])
    .toString()
    .trim()
}

/** The pane of the latest session, and its device. */
function pane(): { readonly id: string; readonly tty: string } {
  const panes = tmux('list-panes', '-a', '-F', '#{pane_id} #{pane_tty}').split('\n')
  const [id = '', tty = ''] = panes
    .toSorted((a, b) => Number.parseInt(b.slice(1)) - Number.parseInt(a.slice(1)))[0]!
    .split(' ')
  return { id, tty }
}

it('is read-only on a phone until typing is turned on, and then has extra keys', async () => {
  await openTerminal()
  await page.getByText('Watching').waitFor()
  // A stray tap does nothing.
  await page.getByTestId('terminal').tap()
  await page.keyboard.press('x')
  expect(await page.getByRole('group', { name: 'Keys' }).count()).toBe(0)
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Type' }).tap()
  const line = page.getByRole('textbox', { name: 'Text for the terminal' })
  await line.fill('from the phone 你好')
  await line.press('Enter')
  await shows('You said: from the phone 你好')
  expect(await textNow()).not.toContain('x from the phone')

  expect(await violations(page)).toEqual([])

  await line.fill('abcdefghijklmnop')
  await page.getByRole('button', { name: 'Insert without Enter' }).tap()
  await shows('> abcdefghijklmnop')
  const erase = page.getByRole('button', { name: 'Backspace' })
  // Down and up in one task: a busy machine might hold the key in between.
  await erase.evaluate((button) => {
    for (const type of ['pointerdown', 'pointerup'])
      button.dispatchEvent(new PointerEvent(type, { button: 0, bubbles: true }))
  })
  await shows('> abcdefghijklmno\n')
  // Held, it repeats.
  await erase.dispatchEvent('pointerdown', { button: 0 })
  await stage.until('it repeats', async () => !(await textNow()).includes('> abcdefghij'))
  await erase.dispatchEvent('pointerup', { button: 0 })

  await page.getByRole('button', { name: 'Esc, Escape' }).tap()
  await page.getByRole('button', { name: 'Ctrl, Control' }).tap()
  await line.pressSequentially('c')
  await page.getByText('Agent ended').waitFor()
  expect(stage.consoleErrors).toEqual([])
})

it('accepts a physical keyboard', async () => {
  await openTerminal({ viewport: desktop })
  await page.keyboard.type('typed by handd')
  await page.keyboard.press('Backspace')
  await shows('> typed by hand')
  await page.keyboard.press('Enter')
  await shows('You said: typed by hand')
  await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', 'pasted words')
    document.activeElement!.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  })
  await shows('> pasted words')
  // F6 leaves the terminal.
  await page.keyboard.press('F6')
  const watch = page.getByRole('button', { name: 'Stop typing' })
  await expect.poll(() => watch.evaluate((button) => button === document.activeElement)).toBe(true)
  await watch.click()
  await page.getByTestId('terminal').click()
  await page.keyboard.type('nothing')
  await page.getByRole('button', { name: 'Type' }).click()
  await page.keyboard.type('!')
  await shows('> pasted words!')
  expect(stage.consoleErrors).toEqual([])
})

it('has terminal colours and widths without inline styles', async () => {
  await openTerminal()
  const { tty } = pane()
  const first =
    '\u001B[2J\u001B[H\u001B[38;2;200;30;30mRED\u001B[0m \u001B[48;5;22mBG\u001B[0m \u001B[7mINV\u001B[0m│'
  await writeFile(tty, `${first}\r\n日本語    │\r\n\u001B[31mpalette\u001B[0m`)
  await shows('palette')
  // The text is exposed beside the canvas, which may be drawn later.
  await page.locator('.xterm-rows span', { hasText: 'palette' }).waitFor({ state: 'attached' })
  const found = await page.evaluate(() => {
    const rows = [...document.querySelectorAll('.xterm-rows > div')]
    const span = (text: string): HTMLElement =>
      [...document.querySelectorAll<HTMLElement>('.xterm-rows span')].find(({ textContent }) =>
        textContent.includes(text),
      )!
    const barAt = (row: number): number => {
      const walker = document.createTreeWalker(rows[row]!, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent!.indexOf('│')
        if (at === -1) continue
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + 1)
        return range.getBoundingClientRect().left - rows[row]!.getBoundingClientRect().left
      }
      return -1
    }
    const tokens = getComputedStyle(document.documentElement)
    const probe = document.createElement('i')
    probe.style.color = tokens.getPropertyValue('--bad')
    document.body.append(probe)
    const bad = getComputedStyle(probe).color
    probe.remove()
    return {
      red: getComputedStyle(span('RED')).color,
      background: getComputedStyle(span('BG')).backgroundColor,
      inverted: getComputedStyle(span('INV')).backgroundColor,
      ink: getComputedStyle(span('日')).color,
      palette: getComputedStyle(span('palette')).color,
      bad,
      bars: [barAt(0), barAt(1)],
      width: rows[0]!.getBoundingClientRect().width,
      styles: document.querySelectorAll('style').length,
    }
  })
  expect(found.red).toBe('rgb(200, 30, 30)')
  expect(found.background).toBe('rgb(0, 95, 0)')
  expect(found.inverted).toBe(found.ink)
  expect(found.palette).toBe(found.bad)
  // The eleventh of 120 columns, whatever is before it.
  for (const bar of found.bars) expect(Math.abs(bar - (found.width / columns()) * 10)).toBeLessThan(1)
  expect(found.styles).toBe(0)
  expect(stage.consoleErrors).toEqual([])
})

const columns = (): number => Number(tmux('display-message', '-p', '-t', pane().id, '#{pane_width}'))

it('fits the window, and reconnects after a restart', async () => {
  await openTerminal({ viewport: { width: 844, height: 390 }, touch: true })
  const signs = page.locator('.xterm-screen')
  const room = page.getByTestId('terminal')
  const fits = async (): Promise<boolean> =>
    (await signs.boundingBox())!.width <= (await room.evaluate((element) => element.clientWidth))
  await stage.until('it fits', fits)
  tmux('resize-window', '-t', pane().id, '-x', '90', '-y', '30')
  await stage.until('it is drawn anew', async () => /^─{90}$/m.test(await textNow()))
  await stage.until('it fits again', fits)
  const before = (await signs.boundingBox())!.width
  await page.getByRole('button', { name: 'Larger' }).tap()
  await stage.until('it is larger', async () => (await signs.boundingBox())!.width > before * 1.05)

  const greeted = stage.greeted(page)
  await stage.restart()
  await greeted
  await stage.until('the session is held again', () => getState() === 'idle')
  // Not earlier: a new server may connect before it knows the terminal.
  await page.getByRole('button', { name: 'Type' }).tap()
  const line = page.getByRole('textbox', { name: 'Text for the terminal' })
  await line.fill('still here')
  await line.press('Enter')
  await shows('You said: still here')
  expect(await textNow()).toContain('You said: hello there')
  // The lost connection is not a style error.
  expect(stage.consoleErrors.filter((text) => /style|policy/i.test(text))).toEqual([])
})

it('says when there is no terminal, and opens one again', async () => {
  await openTerminal()
  await end(live)
  await page.getByText('Agent ended').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Resume' }).tap()
  await page.getByText('Watching').waitFor()
  const [again] = stage.server.context.live.list().filter(({ state }) => state !== 'ended')
  expect(again?.agent).toBe(live.agent)
  await page.goto(`${stage.url}/session/gemini/nobody/terminal`)
  await page.getByText('Session not running').waitFor()
  await page.getByRole('link', { name: 'Open conversation' }).waitFor()
  await end(again!)
})
