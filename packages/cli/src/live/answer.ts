import type { Verb } from '../command/verb.ts'

export const answer: Verb = {
  name: 'answer',
  description: 'Answer an approval request or question. The first answer wins',
  positionals: [
    { name: 'ask', required: true, description: 'Request number from remora asks, or part of its id' },
    { name: 'decision', description: 'allow, deny, always, or the number or id of an option' },
  ],
  options: {
    text: { value: 'text', description: 'Free-text answer, if the agent accepts one' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora answer 4821 allow',
    'remora answer 4821 deny',
    'remora answer 4821 2',
    'remora answer 4821 proceed_always_tool',
    'remora answer 4821 --text "Use the other branch"',
  ],
  async run(input, io) {
    const { answerAsk } = await import('./answer-ask.ts')
    return answerAsk(input, io)
  },
}
