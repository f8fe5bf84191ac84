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
  version: '2.1.197',
  run: (command) => `RUN: ${command}`,
  question: `CALL: AskUserQuestion ${JSON.stringify(question)}`,
  modes: ['acceptEdits', 'plan', 'default'],
  unreachable: 'bypassPermissions',
  model: { id: 'sonnet', shown: /Sonnet/ },
})
