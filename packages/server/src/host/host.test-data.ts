import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ledger, type SessionKey, openLedger } from '@remora/ledger'
import type { Command, CommandBody, Event } from '@remora/protocol'
import { vi } from 'vitest'
import { fakeAgent } from '../../../sdk/src/channels/acp/fake-agent/command.test-data.ts'
import { type HostHandle, type StartHost, attachHost, startHost } from '../live/acp-driver.ts'

type StageOptions = Partial<Omit<StartHost, 'request'>> & { readonly request?: Partial<StartHost['request']> }

/** A state folder with a ledger, and hosts with scripted agents. */
export class HostStage implements AsyncDisposable {
  /** Short, because it contains sockets, whose paths are limited. */
  readonly remoraHome = mkdtempSync('/tmp/rh-')
  readonly record = join(this.remoraHome, 'heard.jsonl')
  /** A file that does not exist yet. A prompt that waits `until` it exists runs for as long as a test wants. */
  readonly go = join(this.remoraHome, 'go')
  readonly #handles: HostHandle[] = []
  #ledger: Ledger | undefined
  #count = 0

  /** The same ledger, as another process opens it. */
  async ledger(): Promise<Ledger> {
    this.#ledger ??= await openLedger({ file: join(this.remoraHome, 'ledger.db') })
    return this.#ledger
  }

  async start(
    behaviour: Readonly<Record<string, unknown>> = {},
    options: StageOptions = {},
  ): Promise<HostHandle> {
    const handle = await startHost(this.options(behaviour, options))
    this.#handles.push(handle)
    return handle
  }

  options(
    behaviour: Readonly<Record<string, unknown>> = {},
    { request, ...options }: StageOptions = {},
  ): StartHost {
    return {
      remoraHome: this.remoraHome,
      live: 'l-test',
      request: { agent: 'fake', cwd: this.remoraHome, ...request },
      env: { PATH: process.env['PATH'], HOME: this.remoraHome },
      home: this.remoraHome,
      command: fakeAgent({ record: this.record, ...behaviour }),
      ...options,
    }
  }

  async attach(live = 'l-test'): Promise<HostHandle> {
    const found = await attachHost({ remoraHome: this.remoraHome, live })
    if ('gone' in found) throw new Error(`gone: ${JSON.stringify(found.gone)}`)
    this.#handles.push(found)
    return found
  }

  /** Submits a command to the ledger, as a client does. */
  async submit(session: string, body: CommandBody, id = `c${++this.#count}`): Promise<Command> {
    const ledger = await this.ledger()
    const target = { agent: 'fake', session }
    return ledger.commands.submit({ id, client: 'test', target, body, state: 'queued', at: Date.now() })
  }

  prompt(session: string, text: string): Promise<Command> {
    return this.submit(session, { kind: 'prompt', content: [{ type: 'text', text }] })
  }

  async state(command: Command): Promise<Command> {
    return (await (await this.ledger()).commands.find(command))!
  }

  /** Waits until a command is in a state, and returns it. */
  async until(command: Command, state: Command['state']): Promise<Command> {
    return vi.waitFor(
      async () => {
        const found = await this.state(command)
        if (found.state !== state)
          throw new Error(`It is ${found.state}, not ${state}: ${found.reason ?? ''}`)
        return found
      },
      { timeout: 90_000, interval: 30 },
    )
  }

  async events(session: string): Promise<Event[]> {
    const ledger = await this.ledger()
    const key: SessionKey = { agent: 'fake', session }
    const { events } = await ledger.read({ session: key, limit: 10_000 })
    return events.map(({ event }) => event)
  }

  /** The texts of a conversation in the ledger. */
  async words(session: string): Promise<string[]> {
    return (await this.events(session)).flatMap((event) => {
      if (event.type === 'text') return [event.text]
      if (event.type !== 'message' || event.role !== 'user') return []
      return [`> ${(event.content ?? []).map((block) => ('text' in block ? block.text : '')).join('')}`]
    })
  }

  /** The prompts that the agent got, in order. */
  async heard(): Promise<string[]> {
    const lines = (await readFile(this.record, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean)
    return lines.flatMap((line) => {
      const { method, params } = JSON.parse(line) as {
        method?: string
        params?: { prompt: { text: string }[] }
      }
      return method === 'session/prompt' ? [params!.prompt.map(({ text }) => text).join('')] : []
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handle of this.#handles) {
      try {
        process.kill(handle.pid, 'SIGTERM')
      } catch {
        // Already ended.
      }
      await handle.closed
    }
    await this.#ledger?.close()
    rmSync(this.remoraHome, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
