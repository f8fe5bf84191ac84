import type { Verb } from '../verb.ts'

export const demo: Verb = {
  name: 'demo',
  description: 'Try Remora without a key: the real Gemini CLI, on a model that only plays a part',
  options: {
    live: { description: 'As a live session of the server, to be watched and answered from anywhere' },
    yes: { short: 'y', description: 'Install Gemini CLI for it where there is none, without asking' },
  },
  examples: [
    'remora demo',
    'remora demo --yes',
    'remora demo --live',
    'echo "Why does greet.mjs not greet me?" | remora demo',
  ],
  async run(input, io) {
    const { showDemo } = await import('../demo/show-demo.ts')
    return showDemo(input, io)
  },
}
