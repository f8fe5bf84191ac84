import { modes } from '../mode-words.ts'
import type { Verb } from '../verb.ts'

export const chat: Verb = {
  name: 'chat',
  description: 'Talk with an agent over ACP, on this terminal',
  positionals: [
    { name: 'agent', required: true, description: 'An agent; with a command behind --, any name for it' },
  ],
  options: {
    cwd: { value: 'folder', description: 'Where the agent works; here by default' },
    model: { short: 'm', value: 'model', description: 'The model, by a name that the agent knows' },
    mode: { value: 'mode', description: `What it may do unasked: ${modes.join(', ')}, or a mode of its own` },
    resume: { short: 'r', value: 'id', description: 'Go on with a session: its id, its name, or latest' },
    permissions: {
      value: 'who',
      // `auto` is the older word for `allow`.
      choices: ['allow', 'ask', 'deny', 'auto'],
      description: 'What to do with requests: allow, ask or deny; ask on a terminal, else deny',
    },
    thinking: { description: 'Show what the agent thinks, where it tells' },
    json: { description: 'Print one event a line, as JSON; prompts come from standard input' },
  },
  rest: 'command of any ACP agent',
  examples: [
    'remora chat gemini',
    'remora chat claude --mode plan',
    'remora chat gemini --resume latest',
    'echo "What is in this folder?" | remora chat gemini',
    'remora chat mine -- my-agent --acp',
  ],
  async run(input, io) {
    const { chatWithAgent } = await import('../chat/chat.ts')
    return chatWithAgent(input, io)
  },
}
