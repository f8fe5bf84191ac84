import type { Verb } from '../command/verb.ts'

export const send: Verb = {
  name: 'send',
  description: 'Send a prompt to a live session. It is queued while the agent works',
  positionals: [
    { name: 'session', required: true, description: 'Session id from remora ls, or latest' },
    { name: 'text', many: true, description: 'Prompt; - or none reads standard input' },
  ],
  options: {
    slash: { description: 'Run the text as a slash command' },
    shell: { description: 'Run the text as a shell command of the agent' },
    wait: { short: 'w', description: 'Wait for the answer and print it' },
    timeout: { value: 'time', description: 'With --wait: timeout: 90 (seconds), 5m, 1h' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora send l-7f3k9q "Run the tests again"',
    'remora send latest "What is left to do?" --wait',
    'remora send latest --slash /compact',
    'git diff | remora send latest - --wait --timeout 5m',
  ],
  async run(input, io) {
    const { sendPrompt } = await import('./send-prompt.ts')
    return sendPrompt(input, io)
  },
}
