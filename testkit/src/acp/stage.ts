import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { type Ask, type AskBroker, type Event, Event as EventSchema, fold } from '@remora/protocol'
import { type Scenario, type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import {
  type Agent,
  type ConnectOptions,
  type Connection,
  type OpenOptions,
  type PromptContent,
  type PromptOptions,
  type Run,
  type RunResult,
  type Session,
  connect,
} from '@remora/sdk'
import { expect } from 'vitest'
import { pinned, repository } from '../clis.ts'
import { type Home, createHome } from '../home.ts'
import type { AcpContractOptions } from './options.ts'

/** What a person says to a question: the option with this effect, or nothing at all. */
export type Person = (ask: Ask) => Ask['options'][number]['effect'] | 'silence'

/** What one prompt gave. */
export interface Taken {
  readonly events: readonly Event[]
  readonly result: RunResult
}

/** One agent that runs for a whole suite, with its model, its home, and somebody who answers its questions. */
export class Stage {
  readonly agent: Agent
  readonly home: Home
  readonly model: ScriptedModel
  readonly connection: Connection
  /** Everything that the connection told, in order. */
  readonly heard: Event[]
  /** The settings of the user as they were before the agent was started. */
  readonly settings: { readonly path: string; readonly text: string }
  readonly #people = new Map<string, { person: Person; readonly asked: Ask[] }>()

  static async start(agent: Agent, options: AcpContractOptions): Promise<Stage> {
    const model = await startScriptedModel({ scenarios })
    const home = await createHome(agent.id, { version: options.version, model })
    const path = join(home.path, options.settings)
    await mkdir(dirname(path), { recursive: true })
    const text = settled(await readFile(path, 'utf8').catch(() => '{}\n'), agent.id)
    await writeFile(path, text)
    const heard: Event[] = []
    let stage: Stage | undefined
    const connection = await connect(agent, {
      ...placeOf(agent, home),
      asks: { ask: (ask, about) => stage!.#answer(ask, about) },
      sink: { write: (event) => void heard.push(event) },
    })
    stage = new Stage(agent, home, model, connection, heard, { path, text })
    return stage
  }

  private constructor(
    agent: Agent,
    home: Home,
    model: ScriptedModel,
    connection: Connection,
    heard: Event[],
    settings: Stage['settings'],
  ) {
    this.agent = agent
    this.home = home
    this.model = model
    this.connection = connection
    this.heard = heard
    this.settings = settings
  }

  /** A session in the workspace; the agent's questions are answered by `person`, with yes where none is given. */
  async open(options: Partial<OpenOptions> = {}, person: Person = () => 'allow'): Promise<Session> {
    const session = await this.connection.open({ cwd: this.home.cwd, ...options })
    this.#people.set(session.id, { person, asked: [] })
    return session
  }

  /** Somebody else answers from here on. */
  answerBy(session: Session, person: Person): void {
    this.#people.get(session.id)!.person = person
  }

  /** What a person was asked in a session. */
  askedIn(session: Session): readonly Ask[] {
    return this.#people.get(session.id)!.asked
  }

  /** Another agent of the same kind in the same home. */
  async another(options: ConnectOptions = {}): Promise<Connection> {
    return connect(this.agent, { ...placeOf(this.agent, this.home), permissions: 'auto', ...options })
  }

  /** The requests of the model that stand for the turn of this prompt, or for any. */
  turns(prompt = ''): ScriptedModel['requests'] {
    return this.model.requests.filter(
      (request) => request.kind === 'turn' && request.prompt?.includes(prompt),
    )
  }

  /** What the model was told in the request that this prompt led to. */
  bodyOf(prompt: string): string {
    return JSON.stringify(this.turns(prompt).at(-1)?.body ?? null)
  }

  async end(): Promise<void> {
    await this.connection.close()
    await this.home.remove()
    await this.model.close()
  }

  async #answer(
    ask: Ask,
    { session, signal }: Parameters<AskBroker['ask']>[1],
  ): ReturnType<AskBroker['ask']> {
    const { asked, person } = this.#people.get(session)!
    asked.push(ask)
    const effect = person(ask)
    if (effect === 'silence') {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    }
    const option = ask.options.find((each) => each.effect === effect)
    if (!option) throw new Error(`The agent offers nothing to ${effect}: ${JSON.stringify(ask.options)}`)
    return { ask: ask.id, option: option.id, by: 'person', digest: ask.digest }
  }
}

/** Says something and reads all that comes of it, which is in order whatever it is. */
export async function say(
  session: Session,
  content: PromptContent,
  options: PromptOptions = {},
): Promise<Taken> {
  return read(session.prompt(content, options))
}

/** Reads a run to its end. */
export async function read(run: Run, each?: (event: Event) => void): Promise<Taken> {
  const events: Event[] = []
  for await (const event of run) {
    events.push(event)
    each?.(event)
  }
  checkRun(events)
  return { events, result: await run.result }
}

/** What holds for the events of every run. */
export function checkRun(events: readonly Event[]): void {
  for (const event of events) EventSchema.parse(event)
  expect(events.filter(({ type }) => type === 'session')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['session', 'done'])
  expect(new Set(events.map(({ session }) => session)).size).toBe(1)
}

/** So many words, none twice: some agents stop a model that repeats itself. */
export function words(count: number, name = 'word'): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')
}

/** How every call of a run ended, by its id. */
export function endsOf(events: readonly Event[]): Map<string, string> {
  const ends = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'tool_use' && !ends.has(event.entity)) ends.set(event.entity, 'open')
    if (event.type === 'tool_result') ends.set(event.entity, event.status)
  }
  return ends
}

/** What the assistant and the person said, a message each. */
export function wordsOf(events: readonly Event[]): string[] {
  return fold(events)
    .filter(({ role, context }) => !context && role !== 'system')
    .flatMap(({ role, content }) =>
      content.flatMap((block) => (block.type === 'text' ? [`${role}: ${block.text.trim()}`] : [])),
    )
}

/**
 * The settings of a user who has nothing to be set right by the agent itself: Gemini takes out names of before 0.29, and
 * OpenCode puts its schema in. A model of OpenCode's takes images only if it says so.
 */
function settled(settings: string, agent: string): string {
  if (agent !== 'opencode')
    return settings.replace(/^ *"(disableAutoUpdate|disableUpdateNag)": true,\n/gm, '')
  return settings
    .replace('{', '{\n  "$schema": "https://opencode.ai/config.json",')
    .replace(
      '"tool_call": true',
      '"tool_call": true, "attachment": true, "modalities": { "input": ["text", "image"], "output": ["text"] }',
    )
}

function placeOf(agent: Agent, home: Home): ConnectOptions {
  // Nothing of this process's own environment reaches the agent.
  const hidden = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  const wrappers = join(repository, 'testkit', 'clis', 'node_modules', '.bin')
  return {
    cwd: home.cwd,
    startupTimeout: 50_000,
    env: {
      ...hidden,
      ...home.env,
      PATH: [home.env['PATH'], wrappers].join(delimiter),
      [agent.detection.variable]: pinned(agent.id, home.version).path,
    },
  }
}

/** A model that first answers with data that do not fit, and corrects them when it is told. */
const scenarios: Scenario[] = [
  {
    name: 'structured',
    title: 'Data, wrong first',
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
