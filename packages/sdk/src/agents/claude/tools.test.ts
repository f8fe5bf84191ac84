import { expect, it } from 'vitest'
import { toClaude } from './tools.ts'

it('has the shared names already, but for one', () => {
  expect(toClaude('Write', { file_path: 'a' })).toEqual({ name: 'Write', input: { file_path: 'a' } })
  expect(toClaude('Agent', { prompt: 'look' })).toEqual({ name: 'Task', input: { prompt: 'look' } })
  expect(toClaude('constructor', 1)).toEqual({ name: 'constructor', input: 1 })
})
