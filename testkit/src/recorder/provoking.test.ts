import type { Scenario } from '@remora/scripted-model'
import { expect, it } from 'vitest'
import { provoking } from './provoking.ts'

const scenario: Scenario = {
  name: 'x',
  title: 'x',
  prompt: 'x',
  turns: [
    [
      {
        tools: [
          { name: 'Bash', input: { command: 'echo hi', description: 'Prints' } },
          { name: 'Read', input: { file_path: 'a' } },
        ],
      },
      { text: 'done' },
    ],
  ],
}

it('makes commands worth asking for, and leaves the rest', () => {
  expect(provoking('claude', scenario).turns).toEqual([
    [
      {
        tools: [
          { name: 'Bash', input: { command: 'touch made.txt && echo hi', description: 'Prints' } },
          { name: 'Read', input: { file_path: 'a' } },
        ],
      },
      { text: 'done' },
    ],
  ])
})

it('asks to leave the sandbox of codex', () => {
  expect(provoking('codex', scenario).turns[0]?.[0]?.tools?.[0]).toMatchObject({
    native: 'exec_command',
    input: { cmd: 'touch made.txt && echo hi', sandbox_permissions: 'require_escalated' },
  })
})
