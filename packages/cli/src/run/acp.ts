import type { Verb } from '../command/verb.ts'

export const acp: Verb = {
  name: 'acp',
  description: 'Run an agent over ACP for an editor, recorded in the ledger',
  positionals: [{ name: 'agent', description: 'Agent to run' }],
  options: {
    command: { value: 'command', description: 'Command line of another ACP agent' },
    name: { value: 'name', description: 'With --command: agent name to store in the ledger' },
  },
  rest: 'native arguments',
  examples: [
    'remora acp gemini',
    'remora acp claude',
    'remora acp gemini -- --model gemini-2.5-pro',
    'remora acp --command "my-agent --acp" --name mine',
    '',
    'In Zed (settings.json); other editors are similar:',
    '  "agent_servers": {',
    '    "Gemini by Remora": { "command": "remora", "args": ["acp", "gemini"] }',
    '  }',
    '',
    'While the editor is running, from another terminal:',
    '  remora asks',
    '  remora answer <ask> allow',
    '  remora watch latest',
  ],
  async run(input, io) {
    const { relayEditor } = await import('./relay-editor.ts')
    return relayEditor(input, io)
  },
}
