import type { Command } from '@remora/protocol'
import { expect, it } from 'vitest'
import { toQueue } from './live.ts'

const prompt = (id: string, at: number, state: Command['state']): Command => ({
  id,
  at,
  state,
  client: 'phone',
  target: { agent: 'gemini', session: 's' },
  body: { kind: 'prompt', content: [{ type: 'text', text: id }] },
})
const listIds = (queue: ReadonlyMap<string, Command>): string[] => [...queue.values()].map(({ id }) => id)

it('lists queued and running prompts in order', () => {
  const end: Command = { ...prompt('end', 1, 'queued'), body: { kind: 'end' } }
  expect(listIds(toQueue([prompt('b', 2, 'queued'), prompt('a', 1, 'sent'), end]))).toEqual(['a', 'b'])
})

it('uses the latest version of a prompt', () => {
  const asked = [prompt('done meanwhile', 1, 'queued'), prompt('begun meanwhile', 2, 'queued')]
  const heard = [
    prompt('done meanwhile', 1, 'done'),
    prompt('begun meanwhile', 2, 'sent'),
    prompt('new', 3, 'queued'),
  ]
  const queue = toQueue([...asked, ...heard])
  expect(listIds(queue)).toEqual(['begun meanwhile', 'new'])
  expect([...queue.values()].map(({ state }) => state)).toEqual(['sent', 'queued'])
})
