import { expect, it } from 'vitest'
import { toClaude } from './tools.ts'

it('renames only Agent to the shared name Task', () => {
  expect(toClaude('Write', { file_path: 'a' })).toEqual({ name: 'Write', input: { file_path: 'a' } })
  expect(toClaude('Agent', { prompt: 'look' })).toEqual({ name: 'Task', input: { prompt: 'look' } })
  expect(toClaude('constructor', 1)).toEqual({ name: 'constructor', input: 1 })
})
