import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Answer, Ask, AskBroker, AskOption, Event } from '@remora/protocol'
import { type Scenario, type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import {
  type AcpPart,
  type Agent,
  connect,
  type Connection,
  type ConnectOptions,
  type OpenOptions,
  type Session,
} from '@remora/sdk'
import { pinned } from '../clis.ts'
import { createHome, type Home } from '../home.ts'
import { getWrapper, installWrapper } from '../wrappers.ts'
import type { AcpContractOptions } from './options.ts'

/** One agent that runs for a whole suite, with its model, its home, and people who answer its questions. */
export class Stage {
  readonly agent: Agent
  /** What holds for the agent behind its wrapper. */
  readonly acp: AcpPart
  readonly home: Home
  readonly model: ScriptedModel
  readonly people: People
  readonly connection: Connection
  /** Everything that the connection told, in order. */
  readonly heard: readonly Event[]
  /** The settings of the user as they were before the agent was started. */
  readonly settings: { readonly path: string; readonly text: string }

  static async start(agent: Agent, options: AcpContractOptions): Promise<Stage> {
    const model = await startScriptedModel({ scenarios })
    const home = await createHome(agent.id, { version: options.version, model })
    const settings = await readSettings(join(home.path, options.settings))
    const people = new People()
    const heard: Event[] = []
    try {
      const wrapper = options.wrapper === undefined ? undefined : getWrapper(agent, options.wrapper)
      const acp: AcpPart = { ...agent.acp!, ...wrapper?.part }
      const place = getPlace(agent, home, wrapper && (await installWrapper(home, wrapper)))
      const connection = await connect(agent, {
        ...place,
        asks: people,
        sink: { write: (event) => void heard.push(event) },
      })
      return new Stage({ agent, acp, home, model, people, connection, heard, settings, place })
    } catch (error) {
      await home.remove()
      await model.close()
      throw error
    }
  }

  readonly #place: ConnectOptions

  private constructor(
    parts: Pick<
      Stage,
      'agent' | 'acp' | 'home' | 'model' | 'people' | 'connection' | 'heard' | 'settings'
    > & {
      readonly place: ConnectOptions
    },
  ) {
    this.agent = parts.agent
    this.acp = parts.acp
    this.#place = parts.place
    this.home = parts.home
    this.model = parts.model
    this.people = parts.people
    this.connection = parts.connection
    this.heard = parts.heard
    this.settings = parts.settings
  }

  /** A session in the workspace; the agent's questions are answered by `person`, with yes where none is given. */
  async open(options: Partial<OpenOptions> = {}, person: Person = () => 'allow'): Promise<Session> {
    const session = await this.connection.open({ cwd: this.home.cwd, ...options })
    this.people.answerBy(session, person)
    return session
  }

  /** Another connection to the same agent in the same home. */
  connect(options: ConnectOptions): Promise<Connection> {
    const place = this.#place
    return connect(this.agent, { ...place, ...options, env: { ...place.env, ...options.env } })
  }

  /** The requests of the model that stand for the turn of this prompt. */
  turns(prompt: string): ScriptedModel['requests'] {
    return this.model.requests.filter(
      (request) => request.kind === 'turn' && request.prompt?.includes(prompt),
    )
  }

  /** All that the model was told with this prompt. */
  bodyOf(prompt: string): string {
    return JSON.stringify(this.turns(prompt).at(-1)?.body ?? null)
  }

  async end(): Promise<void> {
    await this.connection.close()
    await this.home.remove()
    await this.model.close()
  }
}

/** The settings of the user, empty if the home has none. */
async function readSettings(path: string): Promise<Stage['settings']> {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, 'utf8').catch(() => '{}\n')
  await writeFile(path, text)
  return { path, text }
}

function getPlace(agent: Agent, home: Home, path = home.env['PATH']): ConnectOptions {
  // Nothing of this process's own environment reaches the agent.
  const hidden = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  return {
    cwd: home.cwd,
    startupTimeout: 50_000,
    env: {
      ...hidden,
      ...home.env,
      PATH: path,
      [agent.detection.variable]: pinned(agent.id, home.version).path,
    },
  }
}

const scenarios: Scenario[] = [
  {
    name: 'structured',
    title: 'Data that do not fit, and then some that do',
    prompt: 'SCENARIO: structured',
    turns: [
      [
        { tools: [{ name: 'mcp__remora__structured_output', input: { data: { stars: 'many' } } }] },
        { tools: [{ name: 'mcp__remora__structured_output', input: { data: { stars: 4 } } }] },
        { text: 'Rated.' },
      ],
    ],
  },
  {
    name: 'host-tool',
    title: 'A tool of the program',
    prompt: 'SCENARIO: host-tool',
    turns: [[{ tools: [{ name: 'mcp__remora__add', input: { left: 40, right: 2 } }] }, { text: 'Added.' }]],
  },
]

/** What a person says to a question: the option with this effect, or nothing at all. */
type Person = (ask: Ask) => AskOption['effect'] | 'silence'

/** Somebody for each session who answers what the agent asks there. */
class People implements AskBroker {
  readonly #people = new Map<string, { person: Person; readonly asked: Ask[] }>()

  answerBy(session: { readonly id: string }, person: Person): void {
    const known = this.#people.get(session.id)
    this.#people.set(session.id, { person, asked: known?.asked ?? [] })
  }

  /** What was asked in a session so far. */
  askedIn(session: { readonly id: string }): readonly Ask[] {
    return this.#people.get(session.id)?.asked ?? []
  }

  async ask(ask: Ask, { session, signal }: Parameters<AskBroker['ask']>[1]): Promise<Answer> {
    const { asked, person } = this.#people.get(session)!
    asked.push(ask)
    const effect = person(ask)
    if (effect === 'silence')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    const option = ask.options.find((each) => each.effect === effect)
    if (!option) throw new Error(`The agent offers nothing to ${effect}: ${JSON.stringify(ask.options)}`)
    return { ask: ask.id, option: option.id, by: 'person', digest: ask.digest }
  }
}
