import { mkdtempSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { findAgent, sessions } from '@remora/sdk'
import { type TestContext, afterAll, beforeAll, describe, it, vi } from 'vitest'
import { type Home, createHome, installWrapper, pinned } from '../../../../testkit/src/index.ts'
import { type HostHandle, attachHost, startHost } from '../live/acp-driver.ts'

let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel({})
})
afterAll(() => model.close())

/** An agent in its own home, and the ledger of its host. */
async function stage(agent: string, { onTestFinished }: TestContext) {
  const remoraHome = mkdtempSync('/tmp/rh-')
  const home = await createHome(agent, { model })
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  onTestFinished(async () => {
    await home.remove()
    await ledger.close()
    rmSync(remoraHome, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
  const { detection, acp } = findAgent(agent)!
  const [wrapper] = acp?.wrappers ?? []
  const env = {
    ...home.env,
    ...(wrapper ? { PATH: await installWrapper(home, wrapper) } : {}),
    [detection.variable]: pinned(agent).path,
  }
  const start = (resume?: string): Promise<HostHandle> =>
    startHost({
      remoraHome,
      live: 'l-real',
      request: { agent, cwd: home.cwd, ...(resume === undefined ? {} : { resume }) },
      env,
      home: home.path,
    })
  return {
    home,
    remoraHome,
    ledger,
    start,
    surface: (session: string) => new Surface(ledger, agent, session),
  }
}

/** A session as a phone uses it. */
class Surface {
  readonly #ledger: Ledger
  readonly #key: { readonly agent: string; readonly session: string }
  #count = Date.now()

  constructor(ledger: Ledger, agent: string, session: string) {
    this.#ledger = ledger
    this.#key = { agent, session }
  }

  async say(text: string): Promise<() => Promise<void>> {
    return this.#submit({ kind: 'prompt', content: [{ type: 'text', text }] })
  }

  cancel(): Promise<() => Promise<void>> {
    return this.#submit({ kind: 'cancel' })
  }

  /** The text of the agent so far. */
  async words(): Promise<string> {
    const { events } = await this.#ledger.read({ session: this.#key, limit: 10_000 })
    return events.map(({ event }) => (event.type === 'text' ? event.text : '')).join('')
  }

  async ends(): Promise<(boolean | undefined)[]> {
    const { events } = await this.#ledger.read({ session: this.#key, limit: 10_000 })
    return events.flatMap(({ event }) => (event.type === 'done' ? [event.ok] : []))
  }

  /** Allows the next request of the agent. */
  async allow(): Promise<void> {
    const [pending] = await vi.waitUntil(
      async () => {
        const asks = await this.#ledger.asks.pending(this.#key)
        return asks.length > 0 ? asks : undefined
      },
      { timeout: 120_000 },
    )
    const { ask } = pending!
    const option = ask.options.find(({ effect }) => effect === 'allow')!.id
    const answer = { ask: ask.id, option, by: 'person', device: 'phone', digest: ask.digest } as const
    if (!(await this.#ledger.asks.answer(this.#key, answer)).won)
      throw new Error('Somebody else has answered')
  }

  /** Returns a function that waits until the prompt is done. */
  async #submit(body: Parameters<Ledger['commands']['submit']>[0]['body']): Promise<() => Promise<void>> {
    const id = String(++this.#count)
    const command = { id, client: 'phone', target: this.#key, body, state: 'queued', at: Date.now() } as const
    await this.#ledger.commands.submit(command)
    return () =>
      vi.waitFor(
        async () => {
          const all = await this.#ledger.commands.list({ session: this.#key })
          const found = all.find((each) => each.id === id)
          if (found?.state !== 'done') throw new Error(`It is ${found?.state}: ${found?.reason ?? ''}`)
        },
        { timeout: 120_000, interval: 50 },
      )
  }
}

/** Gemini cannot load a session in the minute in which its file was created: the file name then matches an earlier one. */
async function makeOlder(home: Home, id: string): Promise<void> {
  if (home.agent !== 'gemini') return
  const found = await sessions.find(id, { home: home.path, env: home.env })
  for (const path of found?.files ?? []) {
    const name = basename(path).replace(/^session-[\d-]+T[\d-]{5}/, 'session-2026-01-02T03-04')
    await rename(path, join(dirname(path), name))
  }
}

describe.concurrent('a host of the real agents', () => {
  it.for(['gemini', 'claude', 'codex', 'opencode'])(
    '%s: starts, prompts, asks elsewhere, cancels, outlives its server, resumes, and leaves nothing',
    { timeout: 300_000 },
    async (agent, context) => {
      const { expect } = context
      const { home, remoraHome, start, surface } = await stage(agent, context)
      const host = await start()
      expect(host.info.state).toBe('idle')
      const person = surface(host.session)
      const hello = await person.say('SAY: hello')
      const write = await person.say('WRITE: note.txt hello')
      await hello()
      expect(await person.words()).toContain('hello')
      await person.allow()
      await write()
      expect(await home.files()).toContain('note.txt')

      const words = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ')
      const slow = await person.say(`SLOW 300\nSAY: ${words}`)
      await vi.waitFor(async () => expect(await person.words()).toContain('w0'), { timeout: 120_000 })
      // As after a restart of the server.
      host.release()
      const found = await attachHost({ remoraHome, live: 'l-real' })
      if ('gone' in found) throw new Error(found.gone.reason)
      expect(found.info.state).toBe('working')
      await (
        await person.cancel()
      )()
      await slow()
      expect(await person.words()).not.toContain('w39')
      expect((await person.ends()).at(-1)).toBe(false)
      await found.end()
      expect(await home.leftovers()).toEqual([])

      await makeOlder(home, host.session)
      const again = await start(host.session)
      expect(again.session).toBe(host.session)
      await (
        await person.say('SAY: what was next')
      )()
      expect(await person.words()).toContain('what was next')
      await again.end()
      expect(await home.leftovers()).toEqual([])
    },
  )
})
