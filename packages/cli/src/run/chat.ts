import { modes } from '../args/modes.ts'
import type { Verb } from '../command/verb.ts'

export const chat: Verb = {
  name: 'chat',
  description: 'Chat with an agent in this terminal',
  positionals: [
    { name: 'agent', required: true, description: 'Agent; or, with a command after --, a name for it' },
  ],
  options: {
    cwd: { value: 'folder', description: 'Working folder (default: this folder)' },
    model: { short: 'm', value: 'model', description: 'Model, by the name the agent uses' },
    mode: { value: 'mode', description: `Permission mode: ${modes.join(', ')}, or a native mode` },
    resume: { short: 'r', value: 'id', description: 'Session to resume: id, name, or latest' },
    permissions: {
      value: 'who',
      // `auto` is an older alias of `allow`.
      choices: ['allow', 'ask', 'deny', 'auto'],
      description: 'Approval requests: allow, ask or deny (default: ask in a terminal, else deny)',
    },
    thinking: { description: 'Show thinking, if the agent reports it' },
    json: { description: 'Print events as JSON, one per line; read prompts from standard input' },
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
    const { chatWithAgent } = await import('./chat/chat-with-agent.ts')
    return chatWithAgent(input, io)
  },
}
