import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WebStage, desktop, phone, webStage } from './stage.test-data.ts'

/** Makes the scripted model run a command that each agent asks about. */
const agents = {
  gemini: { title: 'Gemini', run: (command: string) => `RUN: ${command}`, viewport: phone },
  claude: { title: 'Claude', run: (command: string) => `RUN: ${command}`, viewport: desktop },
  codex: {
    title: 'Codex',
    // Codex's sandbox allows a plain `touch`. It asks only for commands outside the sandbox.
    run: (command: string) =>
      `CALL: exec_command ${JSON.stringify({ cmd: command, sandbox_permissions: 'require_escalated', justification: 'May I?' })}`,
    viewport: phone,
  },
} as const

for (const [agent, words] of Object.entries(agents)) testInApp(agent as keyof typeof agents, words)

function testInApp(agent: keyof typeof agents, words: (typeof agents)[keyof typeof agents]): void {
  // One agent goes through all tests in order, because starting it takes longest.
  describe(`${words.title} in the phone app`, { shuffle: false }, () => {
    let stage: WebStage
    let page: Page
    beforeAll(async () => {
      stage = await webStage({ agents: [agent] })
    })
    afterAll(() => stage[Symbol.asyncDispose]())

    const messages = (): Locator => page.getByTestId('messages')
    const composer = (): Locator => page.getByTestId('composer').getByRole('textbox')
    const say = async (...lines: readonly string[]): Promise<void> => {
      await composer().fill(lines.join('\n'))
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    }
    const ask = (): Locator => page.getByRole('alertdialog')
    const idle = (): Promise<unknown> =>
      stage.until('it is idle', () =>
        stage.server.context.live.list().every(({ state, queued }) => state === 'idle' && queued === 0),
      )
    /** The dialog option with this effect. */
    const choose = async (effect: 'allow' | 'deny'): Promise<void> => {
      // The guard ignores taps right after the dialog opened.
      await ask().locator(`button[data-effect="${effect}"][aria-disabled=false]`).first().click()
      await ask().waitFor({ state: 'detached' })
    }

    it('pairs with a typed code', async () => {
      page = await stage.open({ viewport: words.viewport, paired: false, kept: true })
      const { code } = stage.server.listening.pairing.create()
      await page.getByLabel('Code').fill(code.toLowerCase())
      await page.getByRole('button', { name: 'Pair' }).click()
      await page.getByText('No sessions yet').waitFor()
      expect(stage.server.listening.devices.list()).toHaveLength(1)
    })

    it('starts with a first prompt and streams the answer', async () => {
      await page.goto(`${stage.url}/new?agent=${agent}&cwd=${encodeURIComponent(stage.cwd)}`)
      const saying = Array.from({ length: 8 }, (_, index) => `SAY: word${index} `)
      // Slow enough to arrive in parts on a busy machine.
      await page.getByLabel('Prompt').fill(['SLOW 1200', ...saying].join('\n'))
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      // A part arrives before the whole. Checked in the page, because a check from here may come too late.
      await page.waitForFunction(() => {
        const now = document.querySelector('[data-testid=now]')?.textContent ?? ''
        return now.includes('word1') && !now.includes('word7')
      })
      await expect.poll(async () => (await messages().innerText()).match(/word7/g)).toHaveLength(2)
      await idle()
    })

    it('asks, and does what the user allows', async () => {
      await say(words.run('touch allowed.txt'))
      await ask().getByText('touch allowed.txt').first().waitFor()
      expect(existsSync(join(stage.cwd, 'allowed.txt'))).toBe(false)
      await choose('allow')
      await stage.until('the file', () => existsSync(join(stage.cwd, 'allowed.txt')))
      await idle()
      await messages().getByText('touch allowed.txt').last().waitFor()
    })

    it('asks, and does not do what the user denies', async () => {
      await say(words.run('touch denied.txt'))
      await ask().getByText('touch denied.txt').first().waitFor()
      await choose('deny')
      await idle()
      expect(existsSync(join(stage.cwd, 'denied.txt'))).toBe(false)
    })

    it('queues prompts while it works, withdraws one, and is interrupted', async () => {
      // Slow enough to be still answering when it is interrupted.
      await say('SLOW 2000', ...Array.from({ length: 18 }, () => 'SAY: on and on '))
      await page.getByTestId('now').getByText('on and on').waitFor()
      await say('SAY: said later')
      await say('SAY: never said')
      const queue = page.getByTestId('queue').getByRole('listitem')
      await expect.poll(() => queue.count()).toBe(2)
      await queue.last().getByRole('button', { name: 'Withdraw' }).click()
      await expect.poll(() => queue.count()).toBe(1)
      await page.getByRole('button', { name: 'Interrupt' }).click()
      await idle()
      await messages().getByText('said later').last().waitFor()
      expect(await messages().getByText('never said').count()).toBe(0)
    })

    it('opens every search hit at the message with its text', async () => {
      const search = `${stage.url}/search?q=${encodeURIComponent('word3')}`
      await page.goto(search)
      // Only links in the results: a wide screen also lists the session, whose title may be the prompt.
      const hits = page.getByRole('list', { name: 'Results' }).getByRole('link', { name: /word3/ })
      await hits.first().waitFor()
      const count = await hits.count()
      // At least the prompt and the answer.
      expect(count).toBeGreaterThanOrEqual(2)
      for (let index = 0; index < count; index++) {
        await page.goto(search)
        await hits.nth(index).click()
        const target = messages().locator('[data-message].border-accent')
        await target
          .getByText('word3')
          .first()
          .waitFor()
          .catch(async (cause: unknown) => {
            throw new Error(`${page.url()} shows:\n${await page.locator('body').innerText()}`, { cause })
          })
      }
      expect(stage.consoleErrors).toEqual([])
    })
  })
}
