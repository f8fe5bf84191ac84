import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testLive } from './live-contract.test-data.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

testLive('claude', {
  run: (command) => `RUN: ${command}`,
  // For `touch` it offers access to the folder, and asks again for each new file.
  always: 'install -m 600 /dev/null always.txt',
  question: `CALL: AskUserQuestion ${JSON.stringify(question)}`,
  modes: ['acceptEdits', 'plan', 'default'],
  unreachable: 'bypassPermissions',
  model: { id: 'sonnet', shown: /Sonnet/ },
  // Since 2.1.283 Claude starts in auto mode unless the user's settings name another one, and then offers auto mode once.
  prepare: async (home) => {
    await mkdir(join(home.path, '.claude'), { recursive: true })
    await writeFile(join(home.path, '.claude/settings.json'), '{"permissions":{"defaultMode":"default"}}')
    const file = join(home.path, '.claude.json')
    const state = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(file, JSON.stringify({ ...state, hasSeenAutoDefaultNudge: true }))
  },
})
