import { execFileSync } from 'node:child_process'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LiveInfo } from '@remora/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { desktop, type WebStage, webStage } from './stage.test-data.ts'
import { violations } from './page.test-data.ts'

const attack = `<img src=x onerror=alert(1)>`
const strange = `${attack}.js`
let stage: WebStage
let live: LiveInfo

const write = (path: string, text: string | Uint8Array): Promise<void> =>
  writeFile(join(stage.cwd, path), text)

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], {
    cwd: stage.cwd,
    env: { PATH: process.env['PATH'], HOME: stage.cwd, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'ignore',
  })
}

beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  await mkdir(join(stage.cwd, 'src'))
  await write('src/greet.ts', 'export function greet(name: string): string {\n  return `Hello ${name}`\n}\n')
  await write('old.md', '# Old\n\nNobody needs this.\n')
  await write('notes.txt', `${Array.from({ length: 40 }, (_, index) => `note ${index + 1}`).join('\n')}\n`)
  git('init', '--quiet', '-b', 'main')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'first')
  live = await stage.start({ prompt: 'hello' })
  await stage.until('its folder is known', () => stage.server.context.live.list()[0]?.state === 'idle')
  await write(
    'src/greet.ts',
    'export function greet(name: string): string {\n  // \u202Enot what it seems\n  return `Good morning, ${name}!`\n}\n',
  )
  await rm(join(stage.cwd, 'old.md'))
  await rename(join(stage.cwd, 'notes.txt'), join(stage.cwd, 'renamed notes.txt'))
  git('add', '-A')
  await write('picture.png', Buffer.from(onePixel, 'base64'))
  await write('data.bin', new Uint8Array([0, 1, 2, 3]))
  await write('huge.txt', Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`).join('\n'))
  await write('שלום – 你好.txt', 'שלום\n你好 👋\n')
  await write(strange, `${attack}\n<script>alert(2)</script>\n`)
  await write('.env', 'KEY=not-to-be-shown\n')
  await write('wide.txt', `${'x'.repeat(300_000)}\n`)
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(() => {
  stage.consoleErrors.length = 0
})

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function openPart(part: string, options?: Parameters<WebStage['open']>[0]): Promise<Page> {
  return stage.open({ ...options, at: `/session/${live.agent}/${live.session}/${part}` })
}

const row = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const getDiff = (page: Page, path: string) => page.getByRole('article', { name: path })

// In order: the last test changes the repository.
describe('changes and files', { shuffle: false }, () => {
  it('shows the changes of each file on a phone', async () => {
    const page = await openPart('changes')
    await page.getByText('in 10 files').waitFor()
    expect(await violations(page)).toEqual([])

    await row(page, /^greet\.ts Changed/).tap()
    const greet = getDiff(page, 'src/greet.ts')
    await expect.poll(() => greet.locator('del').allTextContents()).toEqual(['  return `Hello ${name}`\n'])
    // A direction character is visible.
    expect(await greet.locator('ins').first().textContent()).toBe('  // \uFFFDnot what it seems\n')
    // By sign, not by colour alone.
    expect(await greet.locator('ins').first().getAttribute('data-narrow')).toContain('+')
    expect(await violations(page)).toEqual([])

    await row(page, /^old\.md Deleted/).tap()
    await expect.poll(() => getDiff(page, 'old.md').locator('del').count()).toBe(3)
    expect(await getDiff(page, 'old.md').getByRole('link', { name: 'Open file' }).count()).toBe(0)
    await row(page, /^renamed notes\.txt Renamed/).tap()
    await page.getByText('Renamed from notes.txt').waitFor()
    await row(page, /^data\.bin New/).tap()
    await page.getByText('Binary file. No line diff.').waitFor()
    await row(page, /^\.env/).tap()
    await page.getByText('it may contain secrets').waitFor()
    expect(await page.getByText('not-to-be-shown').count()).toBe(0)
    await row(page, /你好\.txt/).tap()
    await page.getByText('你好 👋').waitFor()
    expect(stage.consoleErrors).toEqual([])
  })

  it('folds a long diff, and shows all of it on request', async () => {
    const page = await openPart('changes')
    await row(page, /^huge\.txt/).tap()
    const huge = getDiff(page, 'huge.txt')
    await huge.getByRole('button', { name: 'Show all' }).waitFor()
    await expect.poll(() => huge.locator('ins').count()).toBe(299)
    await huge.getByRole('button', { name: 'Show all' }).tap()
    await huge.getByRole('button', { name: /more lines/ }).tap()
    await stage.until('more is there', async () => (await huge.locator('ins').count()) > 1_200)
    await row(page, /^wide\.txt/).tap()
    await getDiff(page, 'wide.txt').waitFor()
    expect(((await getDiff(page, 'wide.txt').textContent()) ?? '').length).toBeLessThan(10_000)
    expect(stage.consoleErrors).toEqual([])
  })

  it('runs nothing from a file or its name', async () => {
    const page = await openPart('changes')
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await row(page, strange).tap()
    await getDiff(page, strange).getByText('<script>alert(2)</script>').waitFor()
    await getDiff(page, strange).getByRole('link', { name: 'Open file' }).tap()
    await page.getByTestId('file-text').getByText('<script>alert(2)</script>').waitFor()
    expect(await page.locator('img[src="x"], main script').count()).toBe(0)
    expect(await violations(page)).toEqual([])
    expect(dialogs).toEqual([])
    expect(stage.consoleErrors).toEqual([])
  })

  it('shows folders, a line far below, images and binary files', async () => {
    const page = await openPart('files', { viewport: desktop })
    await page.getByRole('list', { name: 'Folder contents' }).getByRole('link', { name: /^src/ }).click()
    await page.getByRole('link', { name: /^greet\.ts/ }).click()
    await page.getByTestId('file-text').getByText('Good morning').waitFor()
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'work' }).click()
    await page.getByRole('link', { name: /^picture\.png/ }).click()
    const picture = page.getByRole('img', { name: 'picture.png' })
    await stage.until('the picture is there', () =>
      picture.evaluate((image) => (image as HTMLImageElement).naturalWidth === 1),
    )
    await page.goto(`${stage.url}/session/${live.agent}/${live.session}/files?path=data.bin`)
    await page.getByText('Binary file').waitFor()
    await page.goto(`${stage.url}/session/${live.agent}/${live.session}/files?path=huge.txt&line=25000`)
    const line = page.locator('[data-line="25000"]')
    await line.waitFor()
    await stage.until('it is in sight', () =>
      line.evaluate((element) => {
        const { top } = element.getBoundingClientRect()
        return top > 100 && top < innerHeight
      }),
    )
    await expect.poll(() => line.textContent()).toBe('line 25000\n')
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500)
    // Lines that were not loaded arrive when scrolled to.
    await page.getByTestId('file-text').evaluate((element) => (element.scrollTop = 0))
    await page.locator('[data-line="1"]').waitFor()
    await expect.poll(() => page.locator('[data-line="1"]').textContent()).toBe('line 1\n')
    await page.goto(`${stage.url}/session/${live.agent}/${live.session}/files?path=nowhere.txt`)
    await page.getByRole('button', { name: 'Try again' }).waitFor()
  })

  it('shows the list beside the diff on a wide screen, and refreshes after a turn', async () => {
    const page = await openPart('changes', { viewport: desktop })
    await row(page, /^greet\.ts/).click()
    await getDiff(page, 'src/greet.ts').waitFor()
    const [list, diff] = await Promise.all([
      page.getByRole('list', { name: 'Changed files' }).boundingBox(),
      getDiff(page, 'src/greet.ts').boundingBox(),
    ])
    expect(diff!.x).toBeGreaterThanOrEqual(list!.x + list!.width)
    await page.getByRole('button', { name: 'Send to review' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')

    await write('later.txt', 'made in the turn\n')
    const body = { kind: 'prompt', content: [{ type: 'text', text: 'again' }] } as const
    const target = { agent: live.agent, session: live.session }
    await stage.server.context.live.submit({
      id: 'again',
      client: 'test',
      target,
      body: { ...body, content: [...body.content] },
    })
    await row(page, /^later\.txt New/).waitFor()

    git('add', '-A')
    git('commit', '--quiet', '-m', 'second')
    await page.getByRole('button', { name: 'Since last commit' }).click()
    await page.getByText('No files changed since the last commit.').waitFor()
    await page.getByRole('button', { name: 'Since session start' }).click()
    await row(page, /^later\.txt/).waitFor()

    await rename(join(stage.cwd, '.git'), join(stage.cwd, 'not-git'))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('is not in a git repository').waitFor()
    await page.getByRole('link', { name: 'Browse files' }).last().waitFor()
    await rename(join(stage.cwd, 'not-git'), join(stage.cwd, '.git'))
  })
})
