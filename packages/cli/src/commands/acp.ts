import type { Verb } from '../verb.ts'

export const acp: Verb = {
  name: 'acp',
  description: 'Be an ACP agent for an editor: the real one does the work, and the ledger knows of it',
  positionals: [{ name: 'agent', description: 'The agent that does the work' }],
  options: {
    command: { value: 'command', description: 'Any other ACP agent, by its command line' },
    name: { value: 'name', description: 'With --command: the name that its sessions have in the ledger' },
  },
  rest: 'native arguments',
  examples: [
    'remora acp gemini',
    'remora acp claude',
    'remora acp gemini -- --model gemini-2.5-pro',
    'remora acp --command "my-agent --acp" --name mine',
    '',
    'In Zed (settings.json), and alike in other editors:',
    '  "agent_servers": {',
    '    "Gemini by Remora": { "command": "remora", "args": ["acp", "gemini"] }',
    '  }',
    '',
    'While the editor works, from any other terminal:',
    '  remora asks',
    '  remora answer <ask> allow',
    '  remora watch latest',
  ],
  async run(input, io) {
    const { relayEditor } = await import('../acp/relay-editor.ts')
    return relayEditor(input, io)
  },
}
