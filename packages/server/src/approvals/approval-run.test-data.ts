import { execFile } from 'node:child_process'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AuditEntry } from '@remora/ledger'
import type { Answer, Ask, Cursor, LiveInfo } from '@remora/protocol'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import { type Home, getCli, createHome } from '../../../../testkit/src/index.ts'
import { endTmux, describeFailure } from '../live/live-failure.test-data.ts'
import { getTmuxSocket } from '../live/open-terminal.ts'
import { createLineLog } from '../core/log.ts'
import { type RunningServer, startServer } from '../start-server.ts'
import { type RequestKind, getPrompts, prepareHome, readEffect } from './approval-requests.test-data.ts'

export interface ApprovalRunOptions {
  readonly agent: string
  readonly version?: string
  readonly count: number
  readonly seed: number
  /** Called with one line for each finished request. */
  readonly report?: (line: string) => void
  readonly signal?: AbortSignal
}

export interface ApprovalRunResult {
  readonly requests: number
  readonly problems: readonly string[]
  /** How many requests ended in which way. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** Who decides a request. In a race two of them decide differently, a few milliseconds apart. */
const deciders = ['client', 'keyboard', 'policy', 'client and keyboard', 'two clients'] as const
type Decider = (typeof deciders)[number]
type Decision = 'allow' | 'deny'

interface Round {
  readonly number: number
  readonly kind: RequestKind
  readonly decider: Decider
  readonly decision: Decision
  /** Milliseconds between the two racers. */
  readonly gap: number
  readonly resize: boolean
}

/** A slow machine may need minutes to start an agent. */
const timeoutMs = 90_000
/** How long the agent's records may lag behind the end of a turn. */
const contradictionMs = 60_000

/**
 * Lets a real agent ask for permission again and again, answers in every possible way, and checks that each request is one
 * ask with one true audit entry.
 *
 * @example const { problems } = await runApprovals({ agent: 'claude', count: 20, seed: 1 })
 */
export async function runApprovals(options: ApprovalRunOptions): Promise<ApprovalRunResult> {
  await using run = await ApprovalRun.open(options)
  const random = createRandom(options.seed)
  for (let number = 0; number < options.count && !options.signal?.aborted; number++) {
    await run.request(drawRound(number, random, options.agent))
    // A session that could not continue would fail every later request in the same way.
    if (run.problems.length >= 5) break
  }
  await run.verify()
  return { requests: run.requests, problems: run.problems, outcomes: run.outcomes }
}

function drawRound(number: number, random: () => number, agent: string): Round {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const decider = pick(deciders)
  const drawn = pick(['allow', 'deny'] as const)
  // Rules allow only what a hook or ACP reported exactly, and of these agents only Claude has such a hook.
  const decision = decider === 'policy' && agent !== 'claude' ? 'deny' : drawn
  return {
    number,
    // Every kind in turn: the first few requests cover all of them.
    kind: (['shell', 'edit', 'write', 'mcp'] as const)[number % 4]!,
    decider,
    decision,
    gap: Math.floor(random() * 120) - 60,
    resize: random() < 0.25,
  }
}

class ApprovalRun implements AsyncDisposable {
  readonly problems: string[] = []
  readonly outcomes: Record<string, number> = {}
  requests = 0
  readonly #options: ApprovalRunOptions
  readonly #model: ScriptedModel
  readonly #home: Home
  readonly #folder: string
  readonly #server: RunningServer
  readonly #info: LiveInfo
  readonly #logged: string[]
  #commands = 0

  private constructor(
    options: ApprovalRunOptions,
    parts: {
      model: ScriptedModel
      home: Home
      folder: string
      server: RunningServer
      info: LiveInfo
      logged: string[]
    },
  ) {
    this.#options = options
    this.#model = parts.model
    this.#home = parts.home
    this.#folder = parts.folder
    this.#server = parts.server
    this.#info = parts.info
    this.#logged = parts.logged
  }

  static async open(options: ApprovalRunOptions): Promise<ApprovalRun> {
    const cli = await getCli(options.agent, options.version)
    const model = await startScriptedModel()
    const home = await createHome(options.agent, { version: cli.version, model })
    const args = await prepareHome(home)
    // Short, because the path of a socket is limited.
    const folder = await mkdtemp('/tmp/rp-')
    const logged: string[] = []
    const server = await startServer({
      remoraHome: join(folder, 'r'),
      env: {
        ...home.env,
        [findAgent(options.agent)!.detection.variable]: cli.path,
        TMUX_TMPDIR: folder,
        TMUX: undefined,
      },
      home: home.path,
      version: '0.0.0',
      port: 0,
      log: createLineLog((line) => logged.push(line)),
    })
    const { live } = server.context
    const info = await live.start({
      agent: options.agent,
      cwd: home.cwd,
      channel: 'terminal',
      mode: 'default',
      ...(args.length === 0 ? {} : { args: [...args] }),
    })
    const run = new ApprovalRun(options, { model, home, folder, server, info, logged })
    await run.#until('the agent is idle', () => run.#now.state === 'idle')
    return run
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close()
    endTmux(getTmuxSocket(join(this.#folder, 'r')))
    await this.#home.remove()
    await this.#model.close()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  get #now(): LiveInfo {
    return this.#server.context.live.find(this.#info.id)!
  }

  async request(round: Round): Promise<void> {
    const about = `#${round.number} ${round.kind}, ${round.decider}, ${round.decision}`
    try {
      const outcome = await this.#request(round)
      // Gemini sends a prompt whose call was denied again with the next one, and the model would make the call again.
      if (this.#options.agent === 'gemini' && !(await readEffect(this.#home, round.kind, round.number)))
        await this.#submit('/clear', 'slash')
      this.requests++
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
      this.#options.report?.(`${about}: ${outcome}`)
    } catch (error) {
      this.problems.push(`${about}: ${(error as Error).message}`)
      this.#options.report?.(`${about}: ${(error as Error).message}`)
    }
  }

  async verify(): Promise<void> {
    const { broken } = await this.#server.context.ledger.audit.verify()
    if (broken) this.problems.push(`The audit log is broken at ${broken.number}: ${broken.why}`)
  }

  async #request(round: Round): Promise<string> {
    const { ledger } = this.#server.context
    const { number, kind } = round
    const first = (await ledger.audit.read()).length
    await this.#writeRules(round)
    const { before, prompt } = await getPrompts(this.#home, kind, number)
    for (const text of before) await this.#prompt(text)
    const start = await ledger.head()
    await this.#prompt(prompt, () => this.#decide(round, first))
    await this.#until('every ask is settled', async () => (await ledger.asks.pending()).length === 0)
    // That a key was faster than an answer is recorded when the agent has recorded its result.
    const deadline = Date.now() + contradictionMs
    for (;;) {
      const ids = await this.#askIds(start)
      const entries = (await ledger.audit.read({ after: first })).filter(({ what }) => what !== 'policy')
      try {
        return this.#judge(round, ids, entries, await readEffect(this.#home, kind, number))
      } catch (error) {
        if (!round.decider.includes('and') || Date.now() > deadline) throw error
        await sleep(100)
      }
    }
  }

  /** Compares what the audit log says with what happened. */
  #judge(round: Round, ids: readonly string[], entries: readonly AuditEntry[], ran: boolean): string {
    const answers = entries.filter(({ what }) => what === 'answer')
    const record = JSON.stringify({
      ran,
      ids,
      entries: entries.map(({ what, who, detail }) => [what, who, (detail as { answer?: Answer }).answer]),
    })
    if (ids.length !== 1) throw new Error(`${ids.length} asks instead of one: ${record}`)
    if (answers.length !== 1) throw new Error(`${answers.length} answers instead of one: ${record}`)
    const { ask, answer } = answers[0]!.detail as { ask: Ask; answer: Answer }
    const lost = entries.some(({ what }) => what === 'not carried')
    const effect = ask.options.find(({ id }) => id === answer.option)?.effect ?? answer.inferred
    const claim = effect === undefined ? undefined : effect.startsWith('allow')
    if (answer.by === 'terminal' && answer.inferred === undefined)
      throw new Error(`An answer at the keyboard without evidence: ${record}`)
    // In a race the loser's answer is recorded as not carried, and the winner's effect is the opposite one.
    if (claim !== undefined && claim !== ran && !lost) throw new Error(`An untrue answer: ${record}`)
    if (lost && !round.decider.includes('and'))
      throw new Error(`An answer was lost without a race: ${record}`)
    if (effect === undefined) return `withdrawn, ${ran ? 'ran' : 'did not run'}`
    const how = answer.inferred === undefined ? answer.by : 'inferred'
    return `${how} ${claim ? 'allowed' : 'denied'}${lost ? ', too late' : ''}`
  }

  /** The asks since the request, as every surface reads them. */
  async #askIds(start: Cursor): Promise<string[]> {
    const { ledger } = this.#server.context
    const ids = new Set<string>()
    for (let after = start; ;) {
      const page = await ledger.read({ limit: 1000, after })
      if (page.events.length === 0) break
      after = page.cursor
      for (const { event } of page.events)
        if (event.type === 'ask' && event.ask.kind === 'permission') ids.add(event.ask.id)
    }
    return [...ids]
  }

  async #writeRules({ decider, decision, number }: Round): Promise<void> {
    const name = `f${number}x*`
    const rules =
      decider === 'policy'
        ? [
            { decide: decision, command: `touch ${name}` },
            { decide: decision, path: `**/${name}` },
            { decide: decision, tool: 'mcp__desk__make' },
          ]
        : []
    const file = join(this.#folder, 'r', 'policies.json')
    await writeFile(`${file}.new`, JSON.stringify({ rules }))
    await rename(`${file}.new`, file)
  }

  async #decide(round: Round, first: number): Promise<void> {
    const { decider, decision, gap, resize } = round
    const { approvals, ledger } = this.#server.context
    if (decider === 'policy') {
      const isAnswer = ({ what }: AuditEntry): boolean => what === 'answer'
      await this.#until('the rule', async () => (await ledger.audit.read({ after: first })).some(isAnswer))
      return
    }
    const pending = await this.#until('an ask', async () => (await approvals.pending())[0])
    if (resize) await this.#resize()
    const other = decision === 'allow' ? 'deny' : 'allow'
    const client = (choice: Decision) => this.#answer(pending.ask.id, choice)
    const keyboard = (choice: Decision) => this.#press(choice)
    if (decider === 'client') await client(decision)
    else if (decider === 'keyboard') await this.#pressUntilTaken(decision)
    else {
      const rival = decider === 'two clients' ? client : keyboard
      await Promise.all([
        sleep(Math.max(0, -gap)).then(() => client(decision)),
        sleep(Math.max(0, gap)).then(() => rival(other)),
      ])
    }
  }

  /** Answers as the app does: a request that was changed since it was read is read and answered again. */
  async #answer(id: string, decision: Decision): Promise<void> {
    const { approvals, ledger } = this.#server.context
    for (;;) {
      const pending = (await ledger.asks.pending()).find(({ ask }) => ask.id === id)
      if (!pending) return
      const { ask, ...key } = pending
      const option = ask.options.find(({ effect }) => effect === decision)
      if (!option) throw new Error(`No option to ${decision}: ${JSON.stringify(ask.options)}`)
      const answer = {
        ask: id,
        option: option.id,
        by: 'person',
        device: 'client',
        digest: ask.digest,
      } as const
      const failed = await approvals.answer(key, answer).then(
        () => undefined,
        (error: Error & { code?: string }) => error,
      )
      if (!failed) return
      if (failed.code !== 'conflict') throw failed
    }
  }

  /** Presses the keys of an option on the agent's own terminal, past Remora. */
  async #press(decision: Decision): Promise<void> {
    const { ask } = this.#server.context.live.terminal(this.#info.id)!.now
    const option = ask?.options.find(({ effect }) => effect === decision)
    if (!option) return
    for (const key of option.keys) {
      if (key.startsWith('Click:')) {
        await this.#server.context.live.terminal(this.#info.id)!.press({ key })
        continue
      }
      await this.#tmux('send-keys', '-t', `remora-${this.#info.id}`, key)
    }
  }

  /** A key that an agent drops while it redraws is pressed again, as a person does. */
  async #pressUntilTaken(decision: Decision): Promise<void> {
    const { approvals } = this.#server.context
    let next = 0
    await this.#until('the key is taken', async () => {
      if ((await approvals.pending()).length === 0) return true
      if (Date.now() < next) return false
      next = Date.now() + 3_000
      await this.#press(decision)
      return false
    })
  }

  async #resize(): Promise<void> {
    const terminal = this.#server.context.live.terminal(this.#info.id)!
    const { columns } = terminal.screen()
    await terminal.resize(columns === 120 ? 96 : 120, 40)
  }

  /** Sends a prompt and waits until its turn is over. */
  async #prompt(text: string, meanwhile?: () => Promise<void>): Promise<void> {
    const { ledger } = this.#server.context
    const id = await this.#submit(text, 'text')
    await meanwhile?.()
    const turns = () => this.#model.requests.filter((each) => each.prompt?.includes(text)).length
    await this.#until('the turn is over', async () => {
      if (turns() === 0 || !['idle', 'error'].includes(this.#now.state)) return false
      const command = (await ledger.commands.list({})).find((each) => each.id === id)
      return command?.state === 'done'
    })
  }

  async #submit(text: string, promptKind: 'text' | 'slash'): Promise<string> {
    const { live, ledger } = this.#server.context
    await this.#clearInput()
    const { agent, session } = this.#now
    const body = { kind: 'prompt' as const, content: [{ type: 'text' as const, text }], promptKind }
    const id = `prompt-${++this.#commands}`
    await live.submit({ id, client: 'run', target: { agent, session }, body })
    await this.#until('the prompt is sent', async () => {
      const command = (await ledger.commands.list({})).find((each) => each.id === id)
      if (command?.state === 'refused') throw new Error(`The prompt was refused: ${command.reason}`)
      return command?.state === 'done' || (await ledger.asks.pending()).length > 0
    })
    return id
  }

  /** A key that lost a race may be in the input line. */
  async #clearInput(): Promise<void> {
    const terminal = this.#server.context.live.terminal(this.#info.id)!
    const { input = '' } = await terminal.refresh()
    if (input !== '') await terminal.press(...Array.from(input, () => ({ key: 'BSpace' })))
  }

  async #tmux(...words: readonly string[]): Promise<void> {
    await promisify(execFile)('tmux', ['-S', getTmuxSocket(join(this.#folder, 'r')), ...words])
  }

  async #until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const found = await look()
      if (found) return found
      if (Date.now() > deadline)
        throw new Error(
          `Timed out: ${what}\n${await describeFailure(this.#server)}\n${this.#logged.join('')}`,
        )
      await sleep(50)
    }
  }
}

/** A small generator, so that a run can be repeated by its seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
