import { describe, expect, it } from 'vitest'
import type { Event } from '../model/event.ts'
import { type Fields, event, prompt } from './event.test-data.ts'
import { fold, totalUsage } from './index.ts'
import { TextBuffer } from './lane.ts'

describe('records other than prompts and answers', () => {
  it('are shown at their position: context, notices and errors', () => {
    const messages = fold([
      event('transcripts', {
        type: 'message',
        entity: 'c',
        role: 'user',
        context: true,
        content: [{ type: 'text', text: '<x>' }],
      }),
      prompt('transcripts'),
      event('transcripts', {
        type: 'message',
        entity: 'i',
        role: 'system',
        content: [{ type: 'text', text: 'Cancelled.' }],
      }),
      event('transcripts', {
        type: 'error',
        entity: 'e',
        code: 'quota',
        message: 'No more.',
        severity: 'error',
        raw: 1,
      }),
    ])
    expect(messages.map(({ id, role, context }) => [id, role, context])).toEqual([
      ['c', 'user', true],
      ['transcripts-prompt', 'user', undefined],
      ['i', 'system', undefined],
      ['e', 'system', undefined],
    ])
    expect(messages[3]!._original).toEqual([1])
  })

  it('are one message if two channels report them', () => {
    const report = (channel: Event['origin']['channel']) => [
      prompt(channel),
      event(channel, {
        type: 'error',
        entity: `${channel}-e`,
        code: 'quota',
        message: 'No more.',
        severity: 'error',
      }),
    ]
    expect(fold([...report('headless'), ...report('transcripts')])).toHaveLength(2)
  })

  it('change no message: status, session, ask, answer, done, unknown', () => {
    const silent: Fields[] = [
      { type: 'session', entity: 's' },
      { type: 'status', entity: 's', status: 'working' },
      { type: 'unknown', entity: 'u', what: 'new', raw: {} },
      { type: 'done', entity: 'd', ok: true },
    ]
    expect(fold([prompt('acp'), ...silent.map((fields) => event('acp', fields))])).toHaveLength(1)
    expect(fold([])).toEqual([])
  })
})

describe('an interrupted text', () => {
  const text = (channel: Event['origin']['channel'], final: boolean) =>
    event(channel, {
      type: 'text',
      entity: `${channel}-t`,
      offset: 0,
      text: 'One two',
      ...(final && { final }),
    })
  const live = [
    prompt('acp'),
    text('acp', false),
    event('acp', { type: 'done', entity: 'd', ok: false, stopReason: 'cancelled' }),
  ]

  it('stays marked when the agent records it as finished', () => {
    for (const events of [
      [...live, prompt('transcripts'), text('transcripts', true)],
      [prompt('transcripts'), text('transcripts', true), ...live],
    ])
      expect(fold(events)[1]?.content).toEqual([{ type: 'text', text: 'One two', partial: true }])
  })

  it("is marked by the agent's own record alone", () => {
    const written = [prompt('transcripts'), text('transcripts', true)]
    for (const fields of [
      { type: 'status', entity: 's', status: 'idle', detail: 'interrupted' },
      { type: 'error', entity: 'e', code: 'aborted', message: 'Aborted', severity: 'error' },
    ] satisfies Fields[])
      expect(fold([...written, event('transcripts', fields)])[1]?.content[0]).toMatchObject({ partial: true })
    expect(fold(written)[1]?.content[0]).not.toHaveProperty('partial')
  })
})

describe('a call that the user denied', () => {
  const options = [
    { id: 'yes', label: 'Yes', effect: 'allow' },
    { id: 'no', label: 'No', effect: 'deny' },
  ]
  const asked = (option: string, about: object) => [
    event('terminal', {
      type: 'ask',
      entity: 'a',
      ask: { id: 'a', kind: 'permission', title: '', options, digest: '', ...about },
    }),
    event('terminal', {
      type: 'answer',
      entity: 'a',
      answer: { ask: 'a', option, by: 'person', digest: '' },
    }),
  ]
  const getStatuses = (option: string, about: object) =>
    fold([
      prompt('transcripts'),
      event('transcripts', { type: 'tool_use', entity: 'c', name: 'Bash', input: { command: 'ls' } }),
      ...asked(option, about),
      event('transcripts', { type: 'tool_result', entity: 'c', status: 'cancelled' }),
    ])
      .flatMap(({ content }) => content)
      .flatMap((block) => (block.type === 'tool_result' ? [block.status] : []))

  it('is denied although the agent recorded it as cancelled', () => {
    expect(getStatuses('no', { toolUse: 'c' })).toEqual(['denied'])
    expect(getStatuses('no', { tool: 'Bash', input: { command: 'ls' } })).toEqual(['denied'])
  })

  it('is cancelled if the user allowed it, or denied another one', () => {
    expect(getStatuses('yes', { toolUse: 'c' })).toEqual(['cancelled'])
    expect(getStatuses('no', { toolUse: 'd' })).toEqual(['cancelled'])
    expect(getStatuses('no', { tool: 'Bash', input: { command: 'pwd' } })).toEqual(['cancelled'])
    expect(getStatuses('no', { tool: 'Bash' })).toEqual(['cancelled'])
  })
})

describe('an assistant message', () => {
  it('has its native id, model, usage and record', () => {
    const [, message] = fold([
      prompt('transcripts'),
      event('transcripts', {
        type: 'message',
        entity: 'm',
        role: 'assistant',
        model: 'pro',
        raw: { id: 'm' },
      }),
      event('transcripts', {
        type: 'media',
        entity: 'i',
        message: 'm',
        kind: 'image',
        source: { type: 'file', path: 'a.png' },
        name: 'a',
      }),
      event('transcripts', { type: 'usage', entity: 'm', scope: 'message', usage: { inputTokens: 1 } }),
      event('transcripts', { type: 'usage', entity: 'm', scope: 'message', usage: { inputTokens: 5 } }),
    ])
    expect(message).toMatchObject({
      id: 'm',
      model: 'pro',
      usage: { inputTokens: 5 },
      content: [{ type: 'image', name: 'a', source: { type: 'file', path: 'a.png' } }],
      _original: [{ id: 'm' }],
    })
  })

  it('puts thinking first, and text after the calls into its own message', () => {
    const messages = fold([
      prompt('transcripts'),
      event('transcripts', {
        type: 'text',
        entity: 'a',
        message: 'm',
        offset: 0,
        text: 'before',
        final: true,
      }),
      event('transcripts', {
        type: 'thinking',
        entity: 'b',
        message: 'm',
        offset: 0,
        text: 'S: d',
        subject: 'S',
        description: 'd',
        final: true,
      }),
      event('transcripts', {
        type: 'tool_use',
        entity: 't',
        message: 'm',
        name: 'Read',
        input: {},
        native: { name: 'read_file', input: {} },
      }),
      event('transcripts', {
        type: 'text',
        entity: 'c',
        message: 'm',
        offset: 0,
        text: 'after',
        final: true,
      }),
    ])
    expect(messages.slice(1).map(({ id, content }) => [id, content.map(({ type }) => type)])).toEqual([
      ['m', ['thinking', 'text', 'tool_use']],
      ['m/1', ['text']],
    ])
    expect(messages[1]!.content[0]).toMatchObject({ subject: 'S', description: 'd' })
  })
})

describe('two channels that report the same part of a turn', () => {
  const text = (channel: Event['origin']['channel'], entity: string, words: string) =>
    event(channel, { type: 'text', entity, offset: 0, text: words, final: true })

  it('in another order put entries of only one channel after those of both', () => {
    const messages = fold([
      prompt('transcripts'),
      text('transcripts', 'a', 'words'),
      event('transcripts', { type: 'thinking', entity: 'b', offset: 0, text: 'thought', final: true }),
      prompt('acp'),
      event('acp', { type: 'thinking', entity: 'c', offset: 0, text: 'thought', final: true }),
      text('acp', 'd', 'words'),
      event('acp', { type: 'error', entity: 'e', code: 'network', message: 'Cut.', severity: 'error' }),
    ])
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['thinking', 'text']],
      ['system', ['text']],
    ])
  })

  it('in pieces and in full give the text once', () => {
    const messages = fold([
      prompt('transcripts'),
      text('transcripts', 'a', 'Hello world'),
      prompt('acp'),
      text('acp', 'b', 'Hello '),
      event('acp', { type: 'thinking', entity: 'c', offset: 0, text: 'hm', final: true }),
      text('acp', 'd', 'world'),
    ])
    expect(messages[1]!.content).toEqual([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Hello world' },
    ])
  })

  it('and use the same entity are matched by it, not by position', () => {
    const messages = fold([
      prompt('transcripts'),
      text('transcripts', 'same', 'second'),
      prompt('headless'),
      text('headless', 'other', 'first'),
      text('headless', 'same', 'second'),
    ])
    expect(messages[1]!.content).toEqual([
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second' },
    ])
  })
})

describe('sub-agents', () => {
  it('are under the call that started them, and their usage counts', () => {
    const events = [
      prompt('transcripts'),
      event('transcripts', { type: 'tool_use', entity: 'task', name: 'Task', input: { prompt: 'look' } }),
      event('transcripts', { type: 'text', entity: 'x', offset: 0, text: 'done', final: true }),
      event('transcripts', {
        type: 'text',
        entity: 'y',
        offset: 0,
        text: 'found',
        final: true,
        parent: 'task',
      }),
      event('transcripts', {
        type: 'usage',
        entity: 'y',
        scope: 'message',
        usage: { outputTokens: 3 },
        parent: 'task',
      }),
      event('transcripts', {
        type: 'text',
        entity: 'z',
        offset: 0,
        text: 'lost',
        final: true,
        parent: 'gone',
      }),
    ]
    expect(fold(events).map(({ id, parent }) => [id, parent])).toEqual([
      ['transcripts-prompt', undefined],
      ['task', undefined],
      ['y', 'task'],
      ['x', undefined],
      ['z', 'gone'],
    ])
    expect(totalUsage(events)).toEqual({ outputTokens: 3 })
  })

  it('of one message keep its order, and those of others follow', () => {
    const task = (entity: string, fields: object = {}) =>
      event('transcripts', {
        type: 'tool_use',
        entity,
        name: 'Task',
        input: { prompt: entity },
        message: 'm',
        ...fields,
      })
    const createText = (entity: string, parent: string) =>
      event('transcripts', { type: 'text', entity, offset: 0, text: entity, final: true, parent, at: 5000 })
    const messages = fold([
      prompt('transcripts'),
      task('first'),
      task('second'),
      task('nested', { parent: 'first', message: 'n' }),
      createText('deep', 'nested'),
      createText('b', 'second'),
    ])
    expect(messages.map(({ id, parent }) => [id, parent])).toEqual([
      ['transcripts-prompt', undefined],
      ['m', undefined],
      ['n', 'first'],
      ['deep', 'nested'],
      ['b', 'second'],
    ])
  })
})

describe('a total', () => {
  const usage = (channel: Event['origin']['channel'], entity: string, scope: string, inputTokens: number) =>
    event(channel, { type: 'usage', entity, scope, usage: { inputTokens } })

  it('of a run is left out if the same source reports its parts', () => {
    const events = [
      prompt('acp', 'one', 'p1'),
      usage('acp', 'm1', 'message', 10),
      prompt('acp', 'two', 'p2'),
      usage('acp', 'run', 'run', 15),
    ]
    expect(totalUsage(events)).toEqual({ inputTokens: 10 })
  })
})

it('keeps conversations apart, the earlier first', () => {
  const messages = fold([
    event('headless', { ...prompt('headless', 'late', 'same'), session: 'b', at: 2000 }),
    event('headless', { ...prompt('headless', 'early', 'same'), session: 'a', at: 1000 }),
  ])
  expect(messages.map(({ content }) => content)).toMatchObject([[{ text: 'early' }], [{ text: 'late' }]])
})

describe('a text buffer', () => {
  it('overwrites text and appends text beyond the end', () => {
    const buffer = new TextBuffer()
    buffer.write(0, 'hello')
    buffer.write(1, 'ipp')
    buffer.write(99, '!')
    expect(buffer.toString()).toBe('hippo!')
    buffer.end(3)
    buffer.end(50)
    expect(buffer.toString()).toBe('hip')
  })
})
