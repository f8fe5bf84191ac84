import { filterOptions, sessionArgument } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const resume: Verb = {
  name: 'resume',
  description: 'Resume a session in its own CLI',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
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
