import type { Ledger } from '@remora/ledger'
import type { EventRecord } from '@remora/protocol'
import type { Locator, Page } from 'playwright-core'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'

export const evil =
  '<img src=x onerror="document.title=1;window.broken=true"><script>window.broken=true</script>'

export interface Past {
  readonly agent: string
  readonly session: string
  readonly cwd?: string
  readonly title?: string
  readonly prompt: string
  readonly answer: string
  /** In minutes. */
  readonly ago: number
  readonly tokens?: number
}

/** Past sessions of a few agents and projects. */
export function somePast(home: string): Past[] {
  return [
    {
      agent: 'claude',
      session: 'c-parser',
      cwd: `${home}/code/parser`,
      title: 'Make the parser keep comments',
      prompt: 'Comments get lost when a file is written back. Please keep them.',
      answer:
        'Comments are kept now: each token carries the trivia before it, and the printer writes it back.',
      ago: 42,
      tokens: 184_220,
    },
    {
      agent: 'gemini',
      session: 'g-flaky',
      cwd: `${home}/code/parser`,
      title: 'Find out why the upload test is flaky',
      prompt: 'The upload test fails one time in ten. Find out why.',
      answer: 'The test waits for the response, not for the file: the watcher may see it a moment later.',
      ago: 150,
      tokens: 61_700,
    },
    {
      agent: 'codex',
      session: 'x-index',
      cwd: `${home}/code/parser`,
      prompt: 'Add an index to the sessions table and measure it',
      answer: 'With the index the list takes 4 ms instead of 310 ms.',
      ago: 60 * 26,
      tokens: 22_400,
    },
    {
      agent: 'gemini',
      session: 'g-shop',
      cwd: `${home}/code/webshop`,
      title: 'Checkout in two steps',
      prompt: 'Make the checkout two steps instead of four.',
      answer: 'Address and payment are one step now; the summary is the second.',
      ago: 60 * 30,
      tokens: 240_000,
    },
    {
      agent: 'opencode',
      session: 'o-docs',
      cwd: `${home}/code/webshop`,
      title: 'Write the quick start again',
      prompt: 'The quick start is wrong since the last release.',
      answer: 'Every command in it was run; two of them had changed.',
      ago: 60 * 24 * 4,
    },
    {
      agent: 'claude',
      session: 'c-notes',
      cwd: `${home}/notes`,
      title: 'Sort the notes by month',
      prompt: 'Sort my notes by month',
      answer: 'Done: 214 notes in 18 folders.',
      ago: 60 * 24 * 12,
      tokens: 9_100,
    },
  ]
}

/** Sessions with hostile names. */
export function hostilePast(home: string): Past[] {
  return [
    {
      agent: 'gemini',
      session: 'evil',
      cwd: `${home}/${evil}`,
      title: evil,
      prompt: `${evil} zebra`,
      answer: `\u202e${evil} zebra`,
      ago: 5,
    },
    {
      agent: evil.slice(0, 60),
      session: `${evil} "'/../`,
      prompt: 'zebra '.repeat(5_000),
      answer: 'x'.repeat(100_000),
      ago: 7,
    },
  ]
}

export async function store(ledger: Ledger, past: readonly Past[]): Promise<void> {
  await ledger.append(past.flatMap(toRecords))
  await ledger.indexText()
}

function toRecords({ agent, session, cwd, title, prompt, answer, ago, tokens }: Past): EventRecord[] {
  const story = new Story({ agent, session, source: `file of ${agent} ${session}` })
  const at = Date.now() - ago * 60_000
  const text = {
    type: 'text',
    entity: 'm/0',
    message: 'm',
    offset: 0,
    text: answer,
    final: true,
    at,
  } as const
  return [
    ...story.tell({
      type: 'session',
      entity: 's',
      ...(cwd === undefined ? {} : { cwd }),
      ...(title === undefined ? {} : { title }),
      at: at - 2_000,
    }),
    ...story.tell({
      type: 'message',
      entity: 'p',
      role: 'user',
      content: [{ type: 'text', text: prompt }],
      at: at - 1_000,
    }),
    ...story.tell(text),
    ...(tokens === undefined
      ? []
      : story.tell({ type: 'usage', entity: 'm', scope: 'message', usage: { totalTokens: tokens }, at })),
  ]
}

/** A long press by touch, which the mouse of a test cannot do. */
export async function pressLong(page: Page, place: Locator): Promise<void> {
  // Only checks: the place is visible and no longer moves.
  await place.click({ trial: true })
  const box = (await place.boundingBox())!
  const [x, y] = [box.x + 80, box.y + 20]
  const session = await page.context().newCDPSession(page)
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await page.getByRole('dialog').waitFor()
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** How many sessions the device has cached. */
export function keptSessions(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // Opening a missing database would create it with a wrong schema.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'remora')) return 0
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open('remora')
      opening.addEventListener('success', () => resolve(opening.result))
    })
    const request = database.transaction('kept').objectStore('kept').get('sessions')
    await new Promise((resolve) => request.addEventListener('success', resolve))
    database.close()
    return ((request.result as unknown[] | undefined) ?? []).length
  })
}
