import { describe, expect, it } from 'vitest'
import type { Event } from '../model/event.ts'
import { getMessageText } from '../model/message-text.ts'
import { type Fields, event, prompt } from './event.test-data.ts'
import { fold, totalUsage } from './index.ts'

type Channel = Event['origin']['channel']

const say = (channel: Channel, id: string, text: string) =>
  event(channel, { type: 'text', entity: `${id}/text`, message: id, offset: 0, text, final: true })
const rewound = (value: object) =>
  event('transcripts', { type: 'status', entity: 's', status: 'rewound', value })
const listTexts = (events: Event[]) => fold(events).map(getMessageText)
/** The same, with a mark on messages that the agent dropped. */
const marked = (events: Event[]) =>
  fold(events).map((message) => (message.interrupted ? '✂ ' : '') + getMessageText(message))
const notice = () =>
  event('transcripts', {
    type: 'message',
    entity: 'n',
    role: 'system',
    content: [{ type: 'text', text: 'notice' }],
  })

describe('rewound messages', () => {
  const talk = () => [
    prompt('transcripts', 'one', 'p1'),
    say('transcripts', 'm1', 'first'),
    prompt('transcripts', 'two', 'p2'),
    say('transcripts', 'm2', 'second'),
  ]

  it('are removed from the given message on', () => {
    expect(listTexts([...talk(), rewound({ to: 'p2' })])).toEqual(['one', 'first'])
    expect(listTexts([...talk(), rewound({ to: 'm1' })])).toEqual(['one'])
    expect(listTexts([...talk(), rewound({ to: 'p2' }), prompt('transcripts', 'three', 'p3')])).toEqual([
      'one',
      'first',
      'three',
    ])
  })

  it('are all messages if the given one is unknown', () => {
    expect(listTexts([...talk(), rewound({ to: 'x' })])).toEqual([])
  })

  it('are those that an exact message list omits, except notices', () => {
    const list = (...keep: string[]) => rewound({ keep, exact: true })
    expect(listTexts([...talk(), notice(), list('p1', 'm2')])).toEqual(['one', 'second', 'notice'])
    expect(listTexts([...talk(), list(), list('p1', 'm1')])).toEqual(['one', 'first'])
    const again = [...talk(), notice(), rewound({ to: 'p2' }), list('p1', 'm1', 'p2', 'm2', 'n')]
    expect(listTexts(again)).toEqual(['one', 'first', 'two', 'second', 'notice'])
  })

  it('are shown again when they are repeated', () => {
    expect(listTexts([...talk(), rewound({ to: 'm2' }), say('transcripts', 'm2', 'better')])).toEqual([
      'one',
      'first',
      'two',
      'better',
    ])
  })

  it('are not restored by another channel, in any order', () => {
    const live = [
      event('headless', {
        type: 'message',
        entity: 'r/p',
        role: 'user',
        content: [{ type: 'text', text: 'two' }],
      }),
      event('headless', { type: 'text', entity: 'r/0', offset: 0, text: 'second' }),
      event('headless', { type: 'text', entity: 'r/1', offset: 0, text: 'a word that was never written' }),
    ]
    const file = [...talk(), rewound({ to: 'p2' })]
    expect(listTexts([...file, ...live])).toEqual(['one', 'first'])
    expect(listTexts([...live, ...file])).toEqual(['one', 'first'])
  })

  it('still count in the usage', () => {
    const cost = event('transcripts', {
      type: 'usage',
      entity: 'm2',
      scope: 'message',
      usage: { inputTokens: 5 },
    })
    expect(totalUsage([...talk(), cost, rewound({ to: 'p2' })])).toEqual({ inputTokens: 5 })
  })
})

describe('a turn that the agent drops from its memory', () => {
  const talk = () => [
    prompt('transcripts', 'one', 'p1'),
    say('transcripts', 'm1', 'first'),
    prompt('transcripts', 'two', 'p2'),
    say('transcripts', 'm2', 'second'),
  ]
  const keep = (...ids: string[]) => rewound({ keep: ids })
  const kinds = (events: Event[]) => fold(events).flatMap(({ content }) => content.map(({ type }) => type))
  const live = (channel: Channel, text = 'two') => [
    prompt(channel, text, `${channel}/p`),
    event(channel, { type: 'text', entity: `${channel}/0`, offset: 0, text: 'sec' }),
  ]

  it('stays in its place, marked as interrupted', () => {
    expect(marked([...talk(), notice(), keep('p1', 'm1')])).toEqual([
      'one',
      'first',
      '✂ two',
      '✂ second',
      'notice',
    ])
    const later = [prompt('transcripts', 'three', 'p3'), say('transcripts', 'm3', 'third')]
    expect(marked([...talk(), keep('p1', 'm1'), ...later, keep('p1', 'm1', 'p3', 'm3')])).toEqual([
      'one',
      'first',
      '✂ two',
      '✂ second',
      'three',
      'third',
    ])
  })

  it.each(['acp', 'headless', 'hooks', 'terminal'] as const)(
    'keeps the text that only %s saw, once, before the notice',
    (channel) => {
      const [p1, m1, p2] = talk()
      const file = [p1!, m1!, p2!, notice(), keep('p1', 'm1')]
      const expected = ['one', 'first', '✂ two', '✂ sec', 'notice']
      expect(marked([...file, ...live(channel)])).toEqual(expected)
      expect(marked([...live(channel), ...file])).toEqual(expected)
      const answer = fold([...file, ...live(channel)])[3]!
      expect(answer.content).toEqual([{ type: 'text', text: 'sec', partial: true }])
    },
  )

  it('is no longer marked when a later list has it again', () => {
    expect(marked([...talk(), keep('p1', 'm1'), keep('p1', 'm1', 'p2', 'm2')])).toEqual([
      'one',
      'first',
      'two',
      'second',
    ])
  })

  it('is removed when the user rewinds to before it', () => {
    expect(marked([...talk(), keep('p1', 'm1'), rewound({ to: 'p2' })])).toEqual(['one', 'first'])
    expect(marked([...talk(), rewound({ to: 'p2' }), keep('p1', 'm1')])).toEqual(['one', 'first'])
  })

  it('is not shown twice if the list repeats the other turns under other ids', () => {
    const again = [prompt('transcripts', 'one', 'q1'), say('transcripts', 'n1', 'first')]
    const later = [prompt('transcripts', 'three', 'q3'), say('transcripts', 'n3', 'third')]
    const anew = [...talk(), ...again, keep('q1', 'n1')]
    expect(marked(anew)).toEqual(['one', 'first', '✂ two', '✂ second'])
    expect(fold(anew)[0]!.timestamp).toBe(anew[0]!.at)
    const refused = [
      event('transcripts', { type: 'tool_use', entity: 'c', message: 'm3', name: 'Bash', input: {} }),
      event('transcripts', { type: 'tool_result', entity: 'c', status: 'denied' }),
    ]
    const written = [...talk().slice(0, 2), ...refused, ...again, keep('q1', 'n1')]
    expect(kinds(written)).toEqual(['text', 'text', 'tool_use', 'tool_result'])
    expect(marked([...written, ...later, keep('q1', 'n1', 'q3', 'n3')])).toEqual([
      'one',
      'first',
      '',
      'three',
      'third',
    ])
    const exact = rewound({ keep: ['q3', 'n3'], exact: true })
    expect(marked([...written, ...later, exact])).toEqual(['three', 'third'])
  })

  it('is a separate turn if the user sends the same prompt twice', () => {
    const twice = [
      prompt('transcripts', 'continue', 'a'),
      say('transcripts', 'm1', 'one'),
      prompt('transcripts', 'continue', 'b'),
      say('transcripts', 'm2', 'two'),
    ]
    expect(marked([...twice, keep('b', 'm2')])).toEqual(['✂ continue', '✂ one', 'continue', 'two'])
    expect(marked([...twice, keep('a', 'm1', 'b', 'm2')])).toEqual(['continue', 'one', 'continue', 'two'])
    // The first was cancelled, and the second has no answer when the list is written.
    const [first, , second, answer] = twice
    expect(marked([first!, second!, keep('b'), answer!])).toEqual(['✂ continue', 'continue', 'two'])
  })

  it('keeps text of the screen apart from an earlier text of the same turn', () => {
    const file = [prompt('transcripts', 'two', 'p'), say('transcripts', 'm', 'I will *look*.')]
    const shown = (text: string) => [
      prompt('terminal', 'two', 't/p'),
      event('terminal', { type: 'text', entity: 't/0', offset: 0, text }),
    ]
    expect(listTexts([...file, ...shown('I will look.')])).toEqual(['two', 'I will *look*.'])
    const [, answer] = fold([...file, ...shown('Now the second')])
    expect(answer!.content).toEqual([
      { type: 'text', text: 'I will *look*.' },
      { type: 'text', text: 'Now the second', partial: true },
    ])
  })

  describe('that a channel reports together with the text before a call', () => {
    // As Codex 0.169.0 and Gemini 0.61.0 show a turn that was interrupted, and the AfterAgent hook of Gemini reports it.
    const together = 'Another one.  \n\nShown over terminal.\n More of it.'
    const file = [
      prompt('transcripts', 'two', 'p'),
      say('transcripts', 'm', 'Another one.'),
      event('transcripts', { type: 'tool_use', entity: 'c', message: 'm', name: 'Bash', input: {} }),
      event('transcripts', { type: 'tool_result', entity: 'c', status: 'success' }),
    ]
    const screen = [
      prompt('terminal', 'two', 't/p'),
      event('terminal', { type: 'text', entity: 't/0', offset: 0, text: together }),
      event('terminal', { type: 'done', entity: 't', ok: false, stopReason: 'cancelled' }),
    ]
    const hooks = [
      prompt('hooks', 'two', 'h/p'),
      event('hooks', { type: 'tool_use', entity: 'call:Bash{}', name: 'Bash', input: {} }),
      event('hooks', { type: 'tool_result', entity: 'call:Bash{}', status: 'success' }),
      event('hooks', { type: 'text', entity: 'h/0', offset: 0, text: together }),
    ]

    it.each([
      ['the screen', screen],
      ['a hook', hooks],
      ['both', [...hooks, ...screen]],
    ])('is kept apart from it, from %s', (_name, events) => {
      const texts = fold([...file, ...events]).flatMap(({ content }) => content)
      expect(texts.filter(({ type }) => type === 'text')).toMatchObject([
        { text: 'two' },
        { text: 'Another one.' },
        { text: expect.stringMatching(/^Shown over terminal\.\s+More of it\.$/), partial: true },
      ])
    })

    it('is the same text if the agent wrote it too', () => {
      const end = [say('transcripts', 'n', 'Shown over terminal. More of it.')]
      expect(listTexts([...file, ...end, ...hooks])).toEqual([
        'two',
        'Another one.',
        'Shown over terminal. More of it.',
      ])
    })
  })
})

describe('a call whose id is valid only in its run', () => {
  const use = (channel: Channel, entity: string, fields: Partial<Fields> = {}) =>
    event(channel, { type: 'tool_use', entity, name: 'Bash', input: { command: 'ls' }, ...fields })

  it('is the n-th call of the same name and input', () => {
    const messages = fold([
      prompt('transcripts', 'go', 'p'),
      use('transcripts', 'call_1', { native: { name: 'exec_command', input: { cmd: 'ls' } } }),
      use('transcripts', 'call_2', { native: { name: 'exec_command', input: { cmd: 'ls' } } }),
      prompt('headless', 'go', 'headless/prompt'),
      use('headless', 'headless/item_1', {
        native: { name: 'command_execution', input: { command: "bash -lc 'ls'" } },
      }),
      event('headless', { type: 'tool_result', entity: 'headless/item_1', status: 'success', content: 'a' }),
      use('headless', 'headless/item_2'),
    ])
    const blocks = messages.flatMap(({ content }) => content)
    expect(blocks.map((block) => ('id' in block ? block.id : block.type))).toEqual([
      'text',
      'call_1',
      'tool_result',
      'call_2',
    ])
  })
})

describe('a sub-agent with its own name', () => {
  it('is shown under the call that started it', () => {
    const messages = fold([
      prompt('transcripts', 'go', 'p'),
      event('transcripts', { type: 'tool_use', entity: 't', name: 'Task', input: {} }),
      event('transcripts', { type: 'tool_result', entity: 't', status: 'success', subagent: 'agent-7' }),
      say('transcripts', 'm', 'done'),
      { ...prompt('transcripts', 'look', 'sp'), parent: 'agent-7' },
      { ...say('transcripts', 'sm', 'looked'), parent: 'agent-7' },
    ])
    expect(messages.map((message) => [message.parent, getMessageText(message)])).toEqual([
      [undefined, 'go'],
      [undefined, ''],
      ['t', 'look'],
      ['t', 'looked'],
      [undefined, 'done'],
    ])
  })
})
