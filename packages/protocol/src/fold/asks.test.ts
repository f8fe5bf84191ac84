import { describe, expect, it } from 'vitest'
import { event, prompt } from './event.test-data.ts'
import { fold } from './index.ts'

/** Folds a call whose ask is open from `asked` to `answered`, and that runs from 2000 to 9000. */
function getStart(ask: Readonly<Record<string, unknown>>, asked = 2_100, answered = 8_000): unknown {
  const about = { id: 'q', kind: 'permission', title: 'May it?', options: [], digest: 'd', ...ask }
  const messages = fold([
    prompt('acp'),
    event('acp', { type: 'tool_use', entity: 'c', name: 'Read', input: { file_path: 'a.txt' }, at: 2_000 }),
    event('acp', { type: 'ask', entity: 'q', ask: about, at: asked }),
    event('acp', {
      type: 'answer',
      entity: 'q',
      answer: { ask: 'q', by: 'person', digest: 'd' },
      at: answered,
    }),
    event('acp', { type: 'tool_result', entity: 'c', status: 'success', content: 'x', at: 9_000 }),
  ])
  const blocks = messages.flatMap(({ content }) => content)
  return blocks.find((block) => block.type === 'tool_use')?.startedAt
}

describe('the start of a call', () => {
  it('is the time of the answer if a person was asked about it', () => {
    expect(getStart({ toolUse: 'c' })).toBe(8_000)
    expect(getStart({ tool: 'Read', input: { file_path: 'a.txt' } })).toBe(8_000)
  })

  it('stays if another call was asked about, or not while it was open', () => {
    expect(getStart({ toolUse: 'other' })).toBe(2_000)
    expect(getStart({ tool: 'Read', input: { file_path: 'b.txt' } })).toBe(2_000)
    expect(getStart({ toolUse: 'c' }, 1_000, 1_500)).toBe(2_000)
    expect(getStart({ toolUse: 'c' }, 9_500, 9_900)).toBe(2_000)
  })
})
