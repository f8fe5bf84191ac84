import { testLive } from './live-contract.test-data.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      type: 'choice',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

testLive('gemini', {
  keepsRetrying: true,
  run: (command) => `RUN: ${command}`,
  question: `CALL: ask_user ${JSON.stringify(question)}`,
  modes: ['acceptEdits', 'plan', 'bypassPermissions', 'default'],
  model: { id: 'gemini-2.5-pro', shown: /gemini-2\.5-pro/ },
})
