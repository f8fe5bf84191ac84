import { describe, expect, it } from 'vitest'
import type { Event } from '../event.ts'
import { textOf } from '../text-of.ts'
import { type Fields, event, prompt } from './event.test-data.ts'
import { fold, totalUsage } from './index.ts'

type Channel = Event['origin']['channel']

const say = (channel: Channel, id: string, text: string) =>
  event(channel, { type: 'text', entity: `${id}/text`, message: id, offset: 0, text, final: true })
const rewound = (value: object) =>
  event('transcripts', { type: 'status', entity: 's', status: 'rewound', value })
const words = (events: Event[]) => fold(events).map(textOf)

describe('what was taken back', () => {
  const talk = () => [
    prompt('transcripts', 'one', 'p1'),
    say('transcripts', 'm1', 'first'),
    prompt('transcripts', 'two', 'p2'),
    say('transcripts', 'm2', 'second'),
  ]

  it('is gone from a message on', () => {
    expect(words([...talk(), rewound({ to: 'p2' })])).toEqual(['one', 'first'])
    expect(words([...talk(), rewound({ to: 'm1' })])).toEqual(['one'])
    expect(words([...talk(), rewound({ to: 'p2' }), prompt('transcripts', 'three', 'p3')])).toEqual([
      'one',
      'first',
      'three',
    ])
  })

  it('is everything where nobody knows the message', () => {
    expect(words([...talk(), rewound({ to: 'x' })])).toEqual([])
  })

  it('is what a new list of messages leaves out, but for notices', () => {
    const notice = event('transcripts', {
      type: 'message',
      entity: 'n',
      role: 'system',
      content: [{ type: 'text', text: 'notice' }],
    })
    expect(words([...talk(), notice, rewound({ keep: ['p1', 'm2'] })])).toEqual(['one', 'second', 'notice'])
    expect(words([...talk(), rewound({ keep: [] }), rewound({ keep: ['p1', 'm1'] })])).toEqual([
      'one',
      'first',
    ])
  })

  it('is not what a CLI writes anew under other ids, leaving out what was refused', () => {
    const again = [prompt('transcripts', 'one', 'q1'), say('transcripts', 'n1', 'first')]
    const later = [prompt('transcripts', 'three', 'q3'), say('transcripts', 'n3', 'third')]
    const anew = [...talk(), ...again, rewound({ keep: ['q1', 'n1'] })]
    expect(words(anew)).toEqual(['one', 'first'])
    expect(fold(anew)[0]!.timestamp).toBe(anew[0]!.at)
    const refused = [
      event('transcripts', { type: 'tool_use', entity: 'c', message: 'm3', name: 'Bash', input: {} }),
      event('transcripts', { type: 'tool_result', entity: 'c', status: 'denied' }),
    ]
    const first = talk().slice(0, 2)
    const written = [...first, ...refused, ...again, rewound({ keep: ['q1', 'n1'] })]
    const kinds = (events: Event[]) => fold(events).flatMap(({ content }) => content.map(({ type }) => type))
    expect(kinds(written)).toEqual(['text', 'text', 'tool_use', 'tool_result'])
    expect(words([...written, ...later, rewound({ keep: ['q1', 'n1', 'q3', 'n3'] })])).toEqual([
      'one',
      'first',
      '',
      'three',
      'third',
    ])
    expect(words([...written, ...later, rewound({ keep: ['q3', 'n3'] })])).toEqual(['three', 'third'])
  })

  it('is a turn of its own if a person says the same twice', () => {
    const twice = [
      prompt('transcripts', 'continue', 'a'),
      say('transcripts', 'm1', 'one'),
      prompt('transcripts', 'continue', 'b'),
      say('transcripts', 'm2', 'two'),
    ]
    expect(words([...twice, rewound({ keep: ['b', 'm2'] })])).toEqual(['continue', 'two'])
    expect(words([...twice, rewound({ keep: ['a', 'm1', 'b', 'm2'] })])).toEqual([
      'continue',
      'one',
      'continue',
      'two',
    ])
    // The first was cancelled, and the second has no answer when the list is written.
    const [first, , second, answer] = twice
    expect(words([first!, second!, rewound({ keep: ['b'] }), answer!])).toEqual(['continue', 'two'])
  })

  it('comes back when it is told again', () => {
    expect(words([...talk(), rewound({ to: 'm2' }), say('transcripts', 'm2', 'better')])).toEqual([
      'one',
      'first',
      'two',
      'better',
    ])
  })

  it('does not come back by another channel, in any order', () => {
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
    expect(words([...file, ...live])).toEqual(['one', 'first'])
    expect(words([...live, ...file])).toEqual(['one', 'first'])
  })

  it('was paid for all the same', () => {
    const cost = event('transcripts', {
      type: 'usage',
      entity: 'm2',
      scope: 'message',
      usage: { inputTokens: 5 },
    })
    expect(totalUsage([...talk(), cost, rewound({ to: 'p2' })])).toEqual({ inputTokens: 5 })
  })
})

describe('a call whose id means nothing outside its run', () => {
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

describe('a sub-agent that has a name of its own', () => {
  it('stands under the call that started it', () => {
    const messages = fold([
      prompt('transcripts', 'go', 'p'),
      event('transcripts', { type: 'tool_use', entity: 't', name: 'Task', input: {} }),
      event('transcripts', { type: 'tool_result', entity: 't', status: 'success', subagent: 'agent-7' }),
      say('transcripts', 'm', 'done'),
      { ...prompt('transcripts', 'look', 'sp'), parent: 'agent-7' },
      { ...say('transcripts', 'sm', 'looked'), parent: 'agent-7' },
    ])
    expect(messages.map((message) => [message.parent, textOf(message)])).toEqual([
      [undefined, 'go'],
      [undefined, ''],
      ['t', 'look'],
      ['t', 'looked'],
      [undefined, 'done'],
    ])
  })
})
