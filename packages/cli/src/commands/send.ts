import type { Verb } from '../verb.ts'

export const send: Verb = {
  name: 'send',
  description: 'Say something to a live session; while it works, it is queued',
  positionals: [
    { name: 'session', required: true, description: 'Its id as remora ls shows it, or latest' },
    { name: 'text', many: true, description: 'What to say; - or nothing reads standard input' },
  ],
  options: {
    slash: { description: 'Run the text as a slash command of the agent' },
    shell: { description: 'Run the text as a shell command in the agent’s terminal' },
    wait: { short: 'w', description: 'Wait until it has answered, and print the answer' },
    timeout: { value: 'time', description: 'With --wait: how long at most: 90 (seconds), 5m, 1h' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora send l-7f3k9q "Run the tests again"',
    'remora send latest "What is left to do?" --wait',
    'remora send latest --slash /compact',
    'git diff | remora send latest - --wait --timeout 5m',
  ],
  async run(input, io) {
    const { sendPrompt } = await import('../live/send-prompt.ts')
    return sendPrompt(input, io)
  },
}
