import { describe, expect, it } from 'vitest'
import type { Event } from '../model/event.ts'
import { callEntity, canonical } from './call.ts'
import { event, prompt } from './event.test-data.ts'
import { fold } from './index.ts'

describe('a record that changes', () => {
  it('replaces its text, also by a shorter one', () => {
    const [, answer] = fold([
      prompt('transcripts'),
      event('transcripts', {
        type: 'text',
        entity: 'm/text',
        message: 'm',
        offset: 0,
        text: 'a long text',
        final: true,
      }),
      event('transcripts', {
        type: 'text',
        entity: 'm/text',
        message: 'm',
        offset: 0,
        text: 'short',
        final: true,
      }),
    ])
    expect(answer).toMatchObject({ id: 'm', content: [{ type: 'text', text: 'short' }] })
  })

  it('replaces the text of a prompt and starts no second turn', () => {
    const messages = fold([prompt('transcripts', 'first', 'p'), prompt('transcripts', 'second', 'p')])
    expect(messages).toMatchObject([{ id: 'p', content: [{ type: 'text', text: 'second' }] }])
  })

  it('keeps calls that are added to it later, beside its text', () => {
    const messages = fold([
      prompt('transcripts'),
      event('transcripts', {
        type: 'text',
        entity: 'm1/text',
        message: 'm1',
        offset: 0,
        text: 'one',
        final: true,
      }),
      event('transcripts', {
        type: 'text',
        entity: 'm2/text',
        message: 'm2',
        offset: 0,
        text: 'two',
        final: true,
      }),
      event('transcripts', {
        type: 'tool_use',
        entity: 't',
        message: 'm1',
        name: 'Bash',
        input: { command: 'ls' },
      }),
    ])
    expect(messages.map(({ id, content }) => [id, content.map(({ type }) => type)])).toEqual([
      ['transcripts-prompt', ['text']],
      ['m1', ['text', 'tool_use']],
      ['m2', ['text']],
    ])
  })
})

describe('a tool call', () => {
  const use = (channel: Event['origin']['channel'], at: number, fields: object = {}) =>
    event(channel, { type: 'tool_use', entity: 't', name: 'Bash', input: { command: 'ls' }, at, ...fields })
  const result = (channel: Event['origin']['channel'], at: number, fields: object = {}) =>
    event(channel, { type: 'tool_result', entity: 't', status: 'success', at, ...fields })

  it('takes output and status from the best channel that has them, times from hooks', () => {
    const call = callEntity('Bash', { command: 'ls' })
    const messages = fold([
      prompt('headless'),
      use('headless', 2000),
      result('headless', 2900, { content: 'from the stream' }),
      prompt('hooks'),
      use('hooks', 2100, { entity: call }),
      result('hooks', 2200, { entity: call, status: 'error', content: 'from the hook' }),
      prompt('transcripts'),
      use('transcripts', 5000),
      result('transcripts', 5000, { status: 'denied', display: { fileDiff: '+1' } }),
    ])
    expect(messages[1]!.content).toEqual([
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' }, startedAt: 2100 },
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: 'from the stream',
        status: 'denied',
        is_error: true,
        display: { fileDiff: '+1' },
        endedAt: 2200,
      },
    ])
  })

  it('joins turns whose prompts differ', () => {
    const messages = fold([
      prompt('headless', '<hook_context>x</hook_context> go'),
      use('headless', 2000),
      prompt('transcripts', 'go'),
      use('transcripts', 2001),
    ])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(messages[0]!.content).toEqual([{ type: 'text', text: 'go' }])
  })

  it('shows a result without a start', () => {
    const messages = fold([prompt('acp'), result('acp', 2000, { content: 'out' })])
    expect(messages[1]!.content).toMatchObject([{ type: 'tool_result', tool_use_id: 't', content: 'out' }])
  })

  it('matches calls without an id by name and input, in any order of keys', () => {
    expect(callEntity('w', { a: 1, b: [{ d: 1, c: null }] })).toBe(
      callEntity('w', { b: [{ c: null, d: 1 }], a: 1 }),
    )
    expect(callEntity('w', { a: 1 })).not.toBe(callEntity('w', { a: '1' }))
    expect(canonical({ a: undefined, b: undefined })).toBe('{}')
    expect(canonical(undefined)).toBe('null')
  })
})

describe('turns', () => {
  it('with the same text stay separate if their times are far apart', () => {
    const messages = fold([
      event('headless', { ...prompt('headless'), at: 0 }),
      event('transcripts', { ...prompt('transcripts'), at: 120_000 }),
    ])
    expect(messages).toHaveLength(2)
  })

  it('include events that a channel reports before any prompt', () => {
    const messages = fold([
      prompt('transcripts'),
      event('acp', { type: 'text', entity: 'x', offset: 0, text: 'under way' }),
    ])
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'under way', partial: true }] },
    ])
  })

  it('include events that another clock reports a little before the prompt', () => {
    const messages = fold([
      event('transcripts', { ...prompt('transcripts'), at: 2_000 }),
      event('transcripts', { type: 'text', entity: 'a', offset: 0, text: 'Hi', final: true, at: 2_100 }),
      event('terminal', { type: 'text', entity: 'b', offset: 0, text: 'Hi', at: 1_990 }),
    ])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('that only a less reliable channel reports are placed by their time', () => {
    const messages = fold([
      event('transcripts', { ...prompt('transcripts', 'one', 'a'), at: 1_000 }),
      event('transcripts', { ...prompt('transcripts', 'three', 'c'), at: 3_000_000 }),
      event('headless', { ...prompt('headless', 'two', 'b'), at: 2_000_000 }),
    ])
    expect(messages.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })
})
