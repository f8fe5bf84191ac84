import type { Verb } from '../verb.ts'

export const answer: Verb = {
  name: 'answer',
  description: 'Decide what an agent waits for; the first answer counts',
  positionals: [
    { name: 'ask', required: true, description: 'Its number as remora asks shows it, or a part of its id' },
    { name: 'decision', description: 'An option by its number or its id, or allow, deny, always' },
  ],
  options: {
    text: { value: 'text', description: 'Words of your own, where the agent takes them' },
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
    const { answerAsk } = await import('../acp/answer-ask.ts')
    return answerAsk(input, io)
  },
}
