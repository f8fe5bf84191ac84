import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { openLedger } from '@remora/ledger'
import { type Event, fold, type LiveInfo, getMessageText } from '@remora/protocol'
import { startScriptedModel } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import { createServerClient } from '@remora/server/client'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { getCli, createHome, repository } from '../../../testkit/src/index.ts'
import { borrowBrowser } from './browser.test-data.ts'
import { delayMs, phone, steadyPort } from './stage.test-data.ts'

interface ShownMessage {
  readonly id: string | null
  readonly text: string
}

const removeSpaces = (text: string): string => text.replaceAll(/\s+/g, '')

it("shows the ledger's messages after the server was killed during an answer", async () => {
  const cli = await getCli('gemini')
  await using model = await startScriptedModel()
  await using home = await createHome('gemini', { version: cli.version, model })
  const folder = await mkdtemp('/tmp/rk-')
  const remoraHome = join(folder, 'r')
  const port = await steadyPort()
  const env = {
    ...home.env,
    [findAgent('gemini')!.detection.variable]: cli.path,
    REMORA_HOME: remoraHome,
    TMUX_TMPDIR: folder,
  }
  const serve = (): ChildProcess =>
    spawn(
      process.execPath,
      [join(repository, 'packages/cli/bin/remora.mjs'), 'serve', '--port', String(port), '--json'],
      { cwd: home.cwd, env, stdio: 'ignore' },
    )
  const client = () => createServerClient({ remoraHome })
  let server = serve()
  const context = await (await borrowBrowser()).newContext({ viewport: phone, reducedMotion: 'reduce' })
  context.setDefaultTimeout(delayMs)
  try {
    await until('the server is there', () => client().health())
    const { urls } = await client().request<{ urls: string[] }>('POST', '/api/pair/code', { body: {} })
    const page = await context.newPage()
    await page.goto(urls[0]!)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const words = Array.from({ length: 16 }, (_, index) => `SAY: spoken${index} `)
    const live = await client().request<LiveInfo>('POST', '/api/live', {
      // Slow enough for a page that loads late to see the answer streaming.
      body: { agent: 'gemini', cwd: home.cwd, prompt: ['SLOW 1000', ...words].join('\n') },
    })
    // Without a reload, which could take longer than the answer on a busy machine.
    await page.evaluate((to) => history.pushState(null, '', to), `/session/gemini/${live.id}`)
    await page.getByTestId('now').getByText('spoken3').waitFor()
    server.kill('SIGKILL')
    await once(server, 'close')
    // The app announces it, and earlier messages stay readable.
    await page.getByTestId('connection').waitFor()
    expect(await page.getByTestId('messages').innerText()).toContain('spoken3')
    server = serve()
    await page.getByTestId('connection').waitFor({ state: 'detached' })
    await until('the turn is over', async () => {
      const { live: all } = await client().request<{ live: LiveInfo[] }>('GET', '/api/live')
      return all.some(({ id, state }) => id === live.id && state === 'idle')
    })
    // The end of the answer may reach the ledger after the agent is idle, so both are read until they agree.
    await expect
      .poll(async () => {
        const [inApp, inLedger] = [await shown(page), await folded(remoraHome)]
        const isWhole = inLedger.at(-1)?.text.includes('spoken15')
        return isWhole && isDeepStrictEqual(inApp, inLedger) ? 'equal' : { inApp, inLedger }
      })
      .toBe('equal')
  } finally {
    await context.close()
    server.kill('SIGKILL')
    try {
      execFileSync('tmux', ['-S', join(remoraHome, 'tmux.sock'), 'kill-server'], { stdio: 'ignore' })
    } catch {
      // There was none.
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}, 240_000)

/** The messages in the ledger file as the app shows them, read without the server. */
async function folded(remoraHome: string): Promise<ShownMessage[]> {
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  try {
    const events: Event[] = []
    for (let after = undefined as Awaited<ReturnType<typeof ledger.head>> | undefined; ;) {
      const page = await ledger.read({ limit: 1_000, ...(after ? { after } : {}) })
      if (page.events.length === 0) break
      events.push(...page.events.map(({ event }) => event))
      after = page.cursor
    }
    return fold(events)
      .filter(({ parent }) => parent === undefined)
      .map((message) => ({
        id: message.id,
        // Context is collapsed to one word.
        text: message.context ? 'Context' : removeSpaces(getMessageText(message)),
      }))
  } finally {
    await ledger.close()
  }
}

/** The messages on the screen, without marks of tools and thinking. */
async function shown(page: Page): Promise<ShownMessage[]> {
  const rows = await page
    .getByTestId('messages')
    .locator('[data-message]')
    .evaluateAll((elements) =>
      elements.map((element) => ({ id: element.getAttribute('data-message'), text: element.textContent })),
    )
  return rows.map(({ id, text }) => ({ id, text: removeSpaces(text) }))
}

async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + delayMs
  for (;;) {
    const found = await Promise.resolve()
      .then(look)
      .catch(() => undefined)
    if (found) return found
    if (Date.now() > deadline) throw new Error(`Timed out waiting until ${what}`)
    await sleep(100)
  }
}
