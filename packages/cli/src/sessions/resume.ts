import { agentNames } from '../detection/agent-names.ts'
import type { Verb } from '../command/verb.ts'

export const resume: Verb = {
  name: 'resume',
  description: 'Resume a session in its own CLI',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, name, or latest' }],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    print: { description: 'Print the command without running it' },
    json: { description: 'With --print: print a JSON object' },
  },
  rest: 'native arguments',
  examples: [
    'remora resume latest',
    'remora resume 3f2a9c1e',
    'eval "$(remora resume latest --agent claude --print)"',
    'remora resume latest -- --debug',
  ],
  async run(input, io) {
    const { resumeSession } = await import('./resume-session.ts')
    return resumeSession(input, io)
  },
}
