import { pinnedVersions } from '../../../../testkit/src/index.ts'
import { testLive } from './live-contract.test-data.ts'

const question = {
  questions: [
    {
      id: 'colour',
      header: 'Colour',
      question: 'Which colour?',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

for (const version of pinnedVersions('codex'))
  testLive('codex', {
    version,
    // The sandbox allows `touch`. Codex asks only for commands outside of the sandbox.
    run: (command) =>
      `CALL: exec_command ${JSON.stringify({ cmd: command, sandbox_permissions: 'require_escalated', justification: 'May I?' })}`,
    question: `CALL: request_user_input ${JSON.stringify(question)}`,
    questionMode: 'plan',
    rules: '.codex/rules/default.rules',
    modes: ['plan', 'bypassPermissions', 'default'],
    model: { id: 'gpt-6-astra', shown: /gpt-6-astra/ },
    missingModel: 'no-such-model',
  })
