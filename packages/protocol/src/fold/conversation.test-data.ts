import fc from 'fast-check'
import type { Event } from '../model/event.ts'
import type { Block } from '../model/message.ts'
import { callEntity } from './call.ts'

/** A complete conversation. Each channel reports a part of it. */
export interface Truth {
  readonly turns: readonly {
    readonly prompt: string
    readonly steps: readonly Step[]
    /** The last step's text was interrupted, so no transcript contains it. */
    readonly cancelled: boolean
  }[]
}

export interface Step {
  readonly thinking: string
  readonly text: string
  readonly tools: readonly {
    readonly name: string
    readonly input: { path: string }
    readonly output: string
  }[]
}

const texts = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '')
const tool = fc.record({
  name: fc.constantFrom('read_file', 'write_file'),
  // Few inputs, so that turns often contain equal calls.
  input: fc.record({ path: fc.constantFrom('a', 'b') }),
  output: texts,
})
const step = (tools: fc.Arbitrary<Step['tools']>) =>
  fc.record({ thinking: fc.oneof(fc.constant(''), texts), text: fc.oneof(fc.constant(''), texts), tools })

export const truths: fc.Arbitrary<Truth> = fc.record({
  turns: fc.array(
    fc
      .record({
        prompt: fc.constantFrom('continue', 'fix it', 'again'),
        working: fc.array(step(fc.array(tool, { minLength: 1, maxLength: 3 })), { maxLength: 3 }),
        last: step(fc.constant([])),
        cancelled: fc.boolean(),
      })
      .map(({ prompt, working, last, cancelled }) => ({ prompt, steps: [...working, last], cancelled })),
    { minLength: 1, maxLength: 4 },
  ),
})

/** The expected messages, without ids. */
export function expected(truth: Truth): { role: string; content: unknown[] }[] {
  return truth.turns.flatMap(({ prompt, steps, cancelled }) => [
    { role: 'user', content: [{ type: 'text', text: prompt }] },
    ...steps.flatMap((each, index) => {
      const partial =
        cancelled && index === steps.length - 1 && each.tools.length === 0 ? { partial: true } : {}
      const content = [
        ...(each.thinking ? [{ type: 'thinking', thinking: each.thinking, ...partial }] : []),
        ...(each.text ? [{ type: 'text', text: each.text, ...partial }] : []),
        ...each.tools.flatMap(({ name, input, output }) => [
          { type: 'tool_use', name, input },
          { type: 'tool_result', content: output, status: 'success', is_error: false },
        ]),
      ]
      return content.length > 0 ? [{ role: 'assistant', content }] : []
    }),
  ])
}

type EventFields = Event extends infer E
  ? E extends Event
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at'>
    : never
  : never

/** Numbers the events of one source, and shifts its clock slightly. */
class Reporter {
  readonly events: Event[] = []
  readonly #channel: Event['origin']['channel']
  readonly #source: string
  readonly #skew: number

  constructor(channel: Event['origin']['channel'], source: string, skew: number) {
    this.#channel = channel
    this.#source = source
    this.#skew = skew
  }

  report(turn: number, fields: EventFields): void {
    const origin = { channel: this.#channel, source: this.#source, key: String(this.events.length) }
    const at = 1_000_000 + turn * 5_000 + this.#skew + this.events.length
    this.events.push({ agent: 'gemini', session: 's', origin, at, ...fields })
  }

  prompt(turn: number, text: string, entity: string): void {
    this.report(turn, { type: 'message', entity, role: 'user', content: [{ type: 'text', text }] })
  }

  /** Streamed text in pieces of `size`. */
  stream(turn: number, type: 'text' | 'thinking', entity: string, text: string, size: number): void {
    for (let offset = 0; offset < text.length; offset += size)
      this.report(turn, { type, entity, offset, text: text.slice(offset, offset + size) })
  }
}

const toolId = (turn: number, step: number, index: number) => `tool-${turn}-${step}-${index}`

interface TranscriptKind {
  /** Whether one record at the end contains all calls. */
  readonly collecting?: boolean
  /** Whether the agent writes a message list without a cancelled turn after that turn. */
  readonly forgetting?: boolean
}

/** The transcript: everything except the text of a cancelled answer. */
export function transcript(truth: Truth, { collecting, forgetting }: TranscriptKind = {}): Event[] {
  const reporter = new Reporter('transcripts', 'session.jsonl', 40)
  const collected: (() => void)[] = []
  const remembered: string[] = []
  truth.turns.forEach(({ prompt, steps, cancelled }, turn) => {
    reporter.prompt(turn, prompt, `user-${turn}`)
    if (!cancelled) remembered.push(`user-${turn}`, ...steps.map((_, index) => `record-${turn}-${index}`))
    steps.forEach((each, index) => {
      if (cancelled && index === steps.length - 1) return
      const message = `record-${turn}-${index}`
      reporter.report(turn, {
        type: 'message',
        entity: message,
        role: 'assistant',
        model: 'pro',
        raw: { id: message },
      })
      const { thinking, text } = each
      if (thinking)
        reporter.report(turn, {
          type: 'thinking',
          entity: `${message}/thought`,
          message,
          offset: 0,
          text: thinking,
          final: true,
        })
      if (text)
        reporter.report(turn, {
          type: 'text',
          entity: `${message}/text`,
          message,
          offset: 0,
          text,
          final: true,
        })
      each.tools.forEach(({ name, input, output }, at) => {
        const entity = toolId(turn, index, at)
        const report = (place: object): void => {
          reporter.report(turn, { type: 'tool_use', entity, name, input, ...place })
          reporter.report(turn, { type: 'tool_result', entity, status: 'success', content: output })
        }
        if (collecting) collected.push(() => report({ placed: false }))
        else report({ message })
      })
      reporter.report(turn, {
        type: 'usage',
        entity: message,
        scope: 'message',
        usage: { inputTokens: 10, outputTokens: 1 },
      })
    })
    if (forgetting && cancelled)
      reporter.report(turn, {
        type: 'status',
        entity: 's',
        status: 'rewound',
        value: { keep: [...remembered] },
      })
  })
  for (const report of collected) report()
  return reporter.events
}

/** Headless runs, one per turn: text and tools, without thoughts and outputs. */
export function headless(truth: Truth, size: number): Event[][] {
  return truth.turns.map(({ prompt, steps, cancelled }, turn) => {
    const reporter = new Reporter('headless', `run-${turn}`, 0)
    reporter.report(turn, { type: 'session', entity: 's' })
    reporter.prompt(turn, prompt, `run-${turn}/prompt`)
    steps.forEach((each, index) => {
      reporter.stream(turn, 'text', `run-${turn}/${index}`, each.text, size)
      each.tools.forEach(({ name, input }, at) =>
        reporter.report(turn, { type: 'tool_use', entity: toolId(turn, index, at), name, input }),
      )
      each.tools.forEach((_, at) =>
        reporter.report(turn, { type: 'tool_result', entity: toolId(turn, index, at), status: 'success' }),
      )
    })
    reporter.report(turn, { type: 'usage', entity: `run-${turn}`, scope: 'run', usage: { inputTokens: 7 } })
    reporter.report(turn, { type: 'done', entity: `run-${turn}`, ok: !cancelled })
    return reporter.events
  })
}

/** One ACP connection: text, thoughts and tools in order, without outputs. */
export function acp(truth: Truth, size: number): Event[] {
  const reporter = new Reporter('acp', 'connection', 10)
  truth.turns.forEach(({ prompt, steps, cancelled }, turn) => {
    reporter.prompt(turn, prompt, `prompt-${turn}`)
    steps.forEach((each, index) => {
      reporter.stream(turn, 'thinking', `${turn}/${index}/thought`, each.thinking, size)
      reporter.stream(turn, 'text', `${turn}/${index}/text`, each.text, size)
      each.tools.forEach(({ name, input }, at) => {
        const entity = toolId(turn, index, at)
        reporter.report(turn, { type: 'tool_use', entity, name, input })
        reporter.report(turn, { type: 'tool_result', entity, status: 'success' })
      })
    })
    reporter.report(turn, { type: 'done', entity: `turn-${turn}`, ok: !cancelled })
  })
  return reporter.events
}

/** Gemini's hooks: calls without ids, all starts of a step before its ends, and the last text of a turn. */
export function hooks(truth: Truth): Event[] {
  const reporter = new Reporter('hooks', 'spool', 20)
  truth.turns.forEach(({ prompt, steps, cancelled }, turn) => {
    reporter.prompt(turn, prompt, `hook-${turn}`)
    for (const each of steps) {
      for (const { name, input } of each.tools)
        reporter.report(turn, { type: 'tool_use', entity: callEntity(name, input), name, input })
      for (const { name, input, output } of each.tools)
        reporter.report(turn, {
          type: 'tool_result',
          entity: callEntity(name, input),
          status: 'success',
          content: output,
        })
    }
    const answer = steps.at(-1)!.text
    if (answer && !cancelled)
      reporter.report(turn, {
        type: 'text',
        entity: `hook-${turn}/answer`,
        offset: 0,
        text: answer,
        final: true,
      })
  })
  return reporter.events
}

/** A terminal, which shows the text of an interrupted answer below its prompt. */
export function terminal(truth: Truth): Event[] {
  const reporter = new Reporter('terminal', 'screen', 30)
  truth.turns.forEach(({ prompt, steps, cancelled }, turn) => {
    const text = steps.at(-1)!.text
    if (!cancelled || text === '') return
    reporter.prompt(turn, prompt, `screen-${turn}/prompt`)
    reporter.report(turn, { type: 'text', entity: `screen-${turn}/text`, offset: 0, text })
    reporter.report(turn, { type: 'done', entity: `screen-${turn}`, ok: false })
  })
  return reporter.events
}

/** Chooses the next lane of an interleaving. */
export interface Choices {
  nextInt(min: number, max: number): number
}

/** Draws an interleaving that keeps each lane's order, and repeats some events later. */
export function interleaved(lanes: readonly (readonly Event[])[], random: Choices): Event[] {
  const queues = lanes.map((lane) => [...lane])
  const events: Event[] = []
  while (queues.some((queue) => queue.length > 0)) {
    const open = queues.filter((queue) => queue.length > 0)
    events.push(open[random.nextInt(0, open.length - 1)]!.shift()!)
    if (events.length > 1 && random.nextInt(0, 3) === 0)
      events.push(events[random.nextInt(0, events.length - 1)]!)
  }
  return events
}

/** The comparable content of a fold, without ids and times. */
export function bare(
  messages: readonly { role: string; content: Block[] }[],
): { role: string; content: unknown[] }[] {
  return messages.map(({ role, content }) => ({
    role,
    content: content.map((block) => {
      if (block.type === 'tool_use') return { type: block.type, name: block.name, input: block.input }
      if (block.type !== 'tool_result') return block
      const { type, content: output, status, is_error } = block
      return { type, content: output, status, is_error }
    }),
  }))
}

const entities = fc.constantFrom('a', 'b', 'c', 'd')
const fields = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('go', 'fix').chain(promptFields) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('text', 'thinking'),
      entity: entities,
      message: fc.option(fc.constantFrom('m', 'n'), { nil: undefined }),
      offset: fc.nat({ max: 3 }),
      text: fc.constantFrom('x', 'yes', ''),
      final: fc.option(fc.constant(true), { nil: undefined }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('tool_use'),
      entity: fc.constantFrom('t1', 't2', 't3', callEntity('Read', { file_path: 'f' }), 'one/t'),
      message: fc.option(fc.constantFrom('m', 'n'), { nil: undefined }),
      name: fc.constant('Read'),
      input: fc.constantFrom({ file_path: 'f' }, { file_path: 'g' }),
      placed: fc.option(fc.constant(false), { nil: undefined }),
      subagent: fc.option(fc.constantFrom('sub', 't2'), { nil: undefined, freq: 8 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('tool_result'),
      entity: fc.constantFrom('t1', 't2', 't3', callEntity('Read', { file_path: 'f' }), 'one/t'),
      status: fc.constantFrom('success', 'error'),
      content: fc.constantFrom('out', undefined),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('usage'),
      entity: fc.constantFrom('m', 'n', 'a'),
      scope: fc.constantFrom('message', 'turn', 'run'),
      usage: fc.record({ inputTokens: fc.nat({ max: 9 }) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('ask'),
      entity: fc.constant('q'),
      ask: fc.record({
        id: fc.constantFrom('q1', 'q2'),
        kind: fc.constant('permission'),
        title: fc.constant('Read?'),
        toolUse: fc.constantFrom('t1', undefined),
        tool: fc.constant('Read'),
        input: fc.constant({ file_path: 'f' }),
        options: fc.constant([{ id: 'no', label: 'No', effect: 'deny' }]),
        digest: fc.constant('d'),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('answer'),
      entity: fc.constant('q'),
      answer: fc.record({
        ask: fc.constantFrom('q1', 'q2'),
        option: fc.constantFrom('no', undefined),
        by: fc.constant('person'),
        digest: fc.constant('d'),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('status'),
      entity: fc.constant('s'),
      status: fc.constantFrom('rewound', 'idle'),
      detail: fc.constantFrom('cancelled', undefined),
      value: fc.oneof(
        fc.record({ to: entities }),
        fc.record({ keep: fc.array(fc.constantFrom('p1', 'p2', 'm', 'a')), exact: fc.boolean() }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('error'),
      entity: entities,
      message: fc.constant('Failed'),
      code: fc.constantFrom('aborted', 'unknown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('done'), entity: entities, ok: fc.boolean() }),
  },
)

function promptFields(text: string) {
  return fc.record({
    type: fc.constant('message'),
    entity: fc.constantFrom('p1', 'p2', 'p3', 'p4', 'm', 'n'),
    role: fc.constantFrom('user', 'user', 'user', 'assistant', 'system'),
    context: fc.option(fc.constant(true), { nil: undefined, freq: 8 }),
    content: fc.constant([{ type: 'text', text }]),
  })
}

/** Arbitrary events in orders that no agent writes: few entities from several sources at close or distant times. */
export const randomEvents: fc.Arbitrary<Event[]> = fc
  .tuple(
    fc.constantFrom(0, 100, 700, 20_000, 90_000),
    fc.array(
      fc.record({
        fields,
        channel: fc.constantFrom('transcripts', 'acp', 'headless', 'hooks', 'terminal'),
        source: fc.constantFrom('one', 'one', 'two'),
        skew: fc.integer({ min: -3, max: 3 }),
        parent: fc.option(fc.constantFrom('t1', 't2', 'sub', 'lost'), { nil: undefined, freq: 5 }),
        again: fc.option(fc.nat(), { nil: undefined, freq: 8 }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  )
  .map(([step, drawn]) => {
    const events: Event[] = []
    for (const { fields, channel, source, skew, parent, again } of drawn) {
      const origin = { channel, source, key: String(events.length) }
      const at = 1_000_000 + (events.length + skew) * step
      events.push({ agent: 'gemini', session: 's', origin, at, parent, ...fields } as unknown as Event)
      if (again !== undefined) events.push(events[again % events.length]!)
    }
    return events
  })
