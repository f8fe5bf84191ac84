import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'
import { appFolder, delayMs, type WebStage, webStage } from './stage.test-data.ts'
import { go, isQuiet } from './page.test-data.ts'

/** Content an agent may repeat from a hostile file. */
const payloads = [
  '<img src=x onerror="window.hit=1">',
  '<script>window.hit=2</script>',
  '<svg onload="window.hit=3">',
  '"><iframe srcdoc="<script>parent.hit=4</script>"></iframe>',
  'javascript:window.hit=5',
  '[click](javascript:window.hit=6) <javascript:window.hit=6> ![x](javascript:window.hit=6)',
  '</pre><a href="javascript:window.hit=7" autofocus onfocus="window.hit=7">x</a>',
  '```html\n<script>window.hit=8</script>\n```\n<style>*{display:none}</style>',
  '\u202Etxt.exe\u2066 data:text/html,<script>window.hit=9</script>',
]
const all = payloads.join('\n\n')
const key = { agent: 'gemini', session: 'hostile' }
let stage: WebStage
beforeAll(async () => {
  stage = await webStage({ agents: ['fake'] })
  const { ledger, approvals, live } = stage.server.context
  const story = new Story(key)
  await ledger.append([
    ...story.tell({
      type: 'session',
      entity: 's',
      cwd: `/tmp/${payloads[0]}`,
      model: all,
      title: all,
      version: all,
    }),
    ...story.prompt(all),
    ...payloads.flatMap((text, index) => [
      ...story.tell({
        type: 'thinking',
        entity: `k${index}`,
        message: `m${index}`,
        offset: 0,
        text,
        subject: text,
        description: text,
        final: true,
      }),
      ...story.says(text, `m${index}`),
      ...['Bash', 'Read', 'Edit', 'WebFetch', 'Task', 'TodoWrite', 'mcp__evil__tool', text].flatMap(
        (name, at) => [
          ...story.tell({
            type: 'tool_use',
            entity: `t${index}-${at}`,
            message: `m${index}`,
            name,
            input: {
              command: text,
              file_path: text,
              old_string: text,
              new_string: `${text} `,
              url: text,
              prompt: text,
              description: text,
              todos: [{ content: text, status: text }],
              [text]: text,
            },
          }),
          ...story.tell({
            type: 'tool_result',
            entity: `t${index}-${at}`,
            status: at % 2 ? 'success' : 'error',
            content: text,
            display: { fileDiff: text, filePath: text },
          }),
        ],
      ),
      ...story.tell({ type: 'error', entity: `e${index}`, code: 'unknown', message: text } as never),
    ]),
  ])
  await ledger.indexText()
  const started = await stage.start({ prompt: payloads[0]! })
  await stage.until('it is ready', () =>
    live.list().find(({ id, state }) => id === started.id && state === 'idle'),
  )
  const input = { command: all, [all]: all }
  const options = payloads.map((text, index) => ({
    id: `o${index}`,
    label: text,
    effect: index === 0 ? ('deny' as const) : ('allow' as const),
  }))
  const ask = {
    id: 'a',
    kind: 'permission' as const,
    title: all,
    body: all,
    tool: all,
    input,
    options,
    digest: 'd',
  }
  await approvals.open(key, ask, async () => 'done')
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Nothing ran, and nothing executable is in the page. */
async function isInert(page: Page, what: string): Promise<void> {
  const found = await page.evaluate(() => ({
    hit: (globalThis as { hit?: unknown }).hit,
    live: [
      ...document.querySelectorAll(
        '#app script, #app iframe, #app object, #app embed, #app style, #app base',
      ),
    ].length,
    links: [...document.querySelectorAll('a[href], [src], [action], [formaction]')]
      .flatMap((each) => ['href', 'src', 'action', 'formaction'].map((name) => each.getAttribute(name) ?? ''))
      .filter((address) => /^\s*(?:javascript|vbscript|data:text)/i.test(address)),
    handlers: [...document.querySelectorAll('#app *')].flatMap((each) =>
      each.getAttributeNames().filter((name) => name.startsWith('on')),
    ),
  }))
  expect([what, found]).toEqual([what, { live: 0, links: [], handlers: [] }])
}

it('runs no agent text on any screen', async () => {
  stage.consoleErrors.length = 0
  const page = await stage.open()
  await page.getByRole('alertdialog').or(page.getByRole('link')).first().waitFor()
  const own = `/session/${key.agent}/${key.session}`
  for (const path of [
    '/',
    own,
    `${own}/changes`,
    `${own}/files`,
    '/search',
    '/insights',
    '/new',
    '/settings/devices',
  ]) {
    await go(page, path)
    await isInert(page, path)
  }
  await go(page, own)
  await page.getByText('window.hit=2').first().waitFor({ state: 'attached' })
  const opened = page.locator('main button[aria-expanded="true"]')
  const before = await opened.count()
  await page.evaluate(() => {
    const closed = [...document.querySelectorAll<HTMLElement>('main button[aria-expanded="false"]')]
    for (const card of closed.slice(-6)) card.click()
  })
  await expect.poll(() => opened.count()).toBeGreaterThan(before)
  await isQuiet(page)
  await isInert(page, 'opened cards')
  // Its folder is not readable.
  expect(stage.consoleErrors.filter((each) => !/40[34]/.test(each))).toEqual([])
})

it('blocks injected content by the content security policy', async () => {
  const page = await stage.open()
  await page.getByRole('alertdialog').or(page.getByRole('link')).first().waitFor()
  const tried = await page.evaluate(async (html) => {
    const name = (action: () => unknown): string => {
      try {
        action()
        return 'done'
      } catch (error) {
        return (error as Error).name
      }
    }
    const written = name(() => document.body.insertAdjacentHTML('beforeend', html))
    const run = name(() => {
      const script = document.createElement('script')
      script.text = 'window.hit = 10'
      document.body.append(script)
    })
    const later = name(() => Reflect.apply(setTimeout, undefined, ['window.hit = 11']))
    const out = await fetch('https://example.com/').then(
      () => 'sent',
      () => 'refused',
    )
    return { written, run, later, out, hit: (globalThis as { hit?: unknown }).hit }
  }, payloads[0]!)
  expect(tried).toMatchObject({ written: 'TypeError', run: 'TypeError', later: 'TypeError', out: 'refused' })
  expect(tried.hit).toBeUndefined()
})

it('has no inline script or style, and cannot be framed', async () => {
  const html = readFileSync(join(appFolder, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=|javascript:/)
  const evil = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<iframe src="${stage.url}/"></iframe>`),
  )
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  const context = await stage.browser.newContext()
  context.setDefaultTimeout(delayMs)
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(evil.address() as { port: number }).port}/`)
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  } finally {
    await context.close()
    evil.close()
  }
})

it('removes the code from the URL, and stores no token that scripts can read', async () => {
  const page = await stage.open()
  await page.getByRole('alertdialog').or(page.getByRole('link')).first().waitFor()
  expect(page.url()).toBe(`${stage.url}/`)
  const kept = await page.evaluate(
    () => document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage),
  )
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ name: 'remora', httpOnly: true, sameSite: 'Strict' })
  expect(kept).not.toContain(cookie!.value)
})
