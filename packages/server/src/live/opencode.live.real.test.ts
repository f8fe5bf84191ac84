import { testLive } from './live-contract.test-data.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

testLive('opencode', {
  keepsRetrying: true,
  run: (command) => `RUN: ${command}`,
  question: `CALL: question ${JSON.stringify(question)}`,
  modes: ['plan', 'default'],
  unreachable: 'bypassPermissions',
  model: { id: 'scripted/scripted-model', shown: /Scripted Model/ },
  missingModel: 'no/such-model',
})
