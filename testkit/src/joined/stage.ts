import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, CommandBody, Event, LiveInfo } from '@remora/protocol'
import { type Scenario, type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import type { Agent } from '@remora/sdk'
import { installHooks, scanSpool } from '@remora/sdk/hooks'
import { createLineLog } from '../../../packages/server/src/core/log.ts'
import { describeFailure, endTmux } from '../../../packages/server/src/live/live-failure.test-data.ts'
import { type RunningServer, startServer } from '../../../packages/server/src/start-server.ts'
import { pinned } from '../clis.ts'
import { type Home, createHome, prepareTerminal, trustHooks } from '../home.ts'
import { getSuiteFacts } from '../suite-facts.ts'
import { getWrapper, installWrapper } from '../wrappers.ts'

// Starting an agent takes seconds of processor time, which can be minutes on a busy machine.
const timeoutMs = 240_000

export interface StageOptions {
  readonly version: string
  readonly scenarios: Scenario[]
  /** A piece of an answer that contains this text is never sent. */
  readonly unsent: string
  /** A request that contains this text is denied, every other one is allowed. */
  readonly denied: string
}

/** A server that observes the sessions of one agent on all channels: its own, installed hooks and transcripts. */
export class JoinedStage {
  static async open(agent: Agent, options: StageOptions): Promise<JoinedStage> {
    const { version, scenarios, unsent } = options
    const hold = (piece: string) => (piece.includes(unsent) ? new Promise<void>(() => {}) : undefined)
    const model = await startScriptedModel({ scenarios, hold })
    const home = await createHome(agent.id, { version, model })
    // Short, because the path of a socket is limited.
    const folder = await mkdtemp('/tmp/rj-')
    const remoraHome = join(folder, 'r')
    await prepareTerminal(home)
    if (agent.hooks)
      await installHooks(agent, {
        place: { env: home.env, home: home.path, cwd: home.cwd, version },
        remoraHome,
      })
    await trustHooks(home)
    const wrapper = getSuiteFacts(agent, version).acp?.[0]?.wrapper
    const path = wrapper === undefined ? {} : { PATH: await installWrapper(home, getWrapper(agent, wrapper)) }
    const logged: string[] = []
    const server = await startServer({
      remoraHome,
      env: {
        ...home.env,
        ...path,
        [agent.detection.variable]: pinned(agent.id, version).path,
        TMUX_TMPDIR: folder,
        TMUX: undefined,
      },
      home: home.path,
      version: '0.0.0',
      port: 0,
      log: createLineLog((line) => logged.push(line)),
    })
    return new JoinedStage(options, { agent, model, home, folder, server, logged })
  }

  readonly #options: StageOptions
  readonly #agent: Agent
  readonly #model: ScriptedModel
  readonly #home: Home
  readonly #folder: string
  readonly #server: RunningServer
  readonly #logged: readonly string[]
  #live = ''
  #commands = 0
  /** The agent's own id of the conversation. */
  session = ''

  private constructor(
    options: StageOptions,
    parts: {
      agent: Agent
      model: ScriptedModel
      home: Home
      folder: string
      server: RunningServer
      logged: readonly string[]
    },
  ) {
    this.#options = options
    this.#agent = parts.agent
    this.#model = parts.model
    this.#home = parts.home
    this.#folder = parts.folder
    this.#server = parts.server
    this.#logged = parts.logged
  }

  /** How many answers to a prompt the agent has requested. */
  countAnswers(prompt: string): number {
    const turns = this.#model.requests.filter((request) => request.kind === 'turn')
    return turns.filter((request) => request.prompt?.trim() === prompt).length
  }

  /** Starts the session, or continues it. */
  async start(channel: 'acp' | 'terminal'): Promise<void> {
    const { id } = await this.#server.context.live.start({
      agent: this.#agent.id,
      cwd: this.#home.cwd,
      channel,
      ...(this.session === '' ? {} : { resume: this.session }),
    })
    this.#live = id
    await this.until('it is idle', () => this.isIdle())
  }

  async prompt(text: string): Promise<void> {
    const before = this.countAnswers(text)
    await this.#submit({ kind: 'prompt', content: [{ type: 'text', text }] })
    await this.until(`the agent sends ${text}`, () => this.countAnswers(text) > before)
    // A terminal may learn its session only now.
    this.session = this.#info().session
  }

  cancel(): Promise<void> {
    return this.#run({ kind: 'cancel' })
  }

  async end(): Promise<void> {
    await this.#run({ kind: 'end' })
    await this.until('the end', () => this.#info().state === 'ended')
    // A hook may outlive its agent.
    await this.until('no process', async () => (await this.#home.leftovers()).length === 0)
    await this.until('an empty spool', () => scanSpool(join(this.#folder, 'r')).entries.length === 0)
  }

  /** Whether the user has seen a text of the answer under way. */
  async shows(text: string): Promise<boolean> {
    if (this.#server.context.live.frame(this.#live)?.text?.includes(text)) return true
    return (await this.events()).some((event) => event.type === 'text' && event.text.includes(text))
  }

  isIdle(): boolean {
    const { state, queued } = this.#info()
    return state === 'idle' && queued === 0
  }

  /** What one channel or all of them have reported of the session, in the order in which the ledger got it. */
  async events(channel?: Channel): Promise<Event[]> {
    const { ledger } = this.#server.context
    const session = { agent: this.#agent.id, session: this.session }
    const events: Event[] = []
    let page = await ledger.read({ session, limit: 1000 })
    for (; page.events.length > 0; page = await ledger.read({ session, limit: 1000, after: page.cursor }))
      for (const { event } of page.events)
        if ((channel ?? event.origin.channel) === event.origin.channel) events.push(event)
    return events
  }

  /** Waits for a condition, and answers what the agent asks until then. */
  async until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (!(await check())) {
      if (Date.now() > deadline)
        throw new Error(
          `Timed out: ${what}\n${await describeFailure(this.#server)}\n${this.#logged.join('')}`,
        )
      await this.#answer()
      await sleep(50)
    }
  }

  async close(): Promise<void> {
    await this.#server.close()
    endTmux(join(this.#folder, 'r', 'tmux.sock'))
    await this.#home.remove()
    await this.#model.close()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  #info(): LiveInfo {
    return this.#server.context.live.find(this.#live)!
  }

  async #submit(body: CommandBody): Promise<string> {
    const id = `${++this.#commands}`
    const target = { agent: this.#agent.id, session: this.#info().session }
    await this.#server.context.live.submit({ id, client: 'test', target, body })
    return id
  }

  async #run(body: CommandBody): Promise<void> {
    const { ledger } = this.#server.context
    const id = await this.#submit(body)
    await this.until(`${body.kind} is done`, async () => {
      const command = (await ledger.commands.list({})).find(
        (each) => each.client === 'test' && each.id === id,
      )
      if (command?.state === 'refused') throw new Error(`${body.kind} was refused: ${command.reason}`)
      return command?.state === 'done'
    })
  }

  async #answer(): Promise<void> {
    const { approvals } = this.#server.context
    for (const { ask, ...key } of await approvals.pending()) {
      const effect = JSON.stringify(ask).includes(this.#options.denied) ? 'deny' : 'allow'
      const option = ask.options.find((each) => each.effect === effect)
      if (!option) throw new Error(`The agent offers nothing to ${effect}: ${JSON.stringify(ask)}`)
      const answer = { ask: ask.id, option: option.id, by: 'person' as const, digest: ask.digest }
      // Its dialog may have changed since.
      await approvals.answer(key, answer).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'conflict')) throw error
      })
    }
  }
}
