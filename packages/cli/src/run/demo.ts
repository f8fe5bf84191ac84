import type { Verb } from '../command/verb.ts'

export const demo: Verb = {
  name: 'demo',
  description: 'Try Remora without an API key. Runs the real Gemini CLI on a scripted model',
  options: {
    live: { description: 'Run as a live session that you can watch and answer from any device' },
    yes: { short: 'y', description: 'Install Gemini CLI for the demo without asking' },
  },
  examples: [
    'remora demo',
    'remora demo --yes',
    'remora demo --live',
    'echo "Why does greet.mjs not greet me?" | remora demo',
  ],
  async run(input, io) {
    const { showDemo } = await import('./demo/show-demo.ts')
    return showDemo(input, io)
  },
}
