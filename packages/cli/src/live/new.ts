import { modeWords, modes } from '../args/modes.ts'
import type { Verb } from '../command/verb.ts'

export const newVerb: Verb = {
  name: 'new',
  description: 'Start an agent in the background',
  positionals: [{ name: 'agent', required: true, description: 'Agent to start' }],
  options: {
    prompt: { short: 'p', value: 'text', description: 'First prompt; - reads standard input' },
    slash: { description: 'Run the prompt as a slash command' },
    shell: { description: 'Run the prompt as a shell command of the agent' },
    cwd: { value: 'folder', description: 'Working folder (default: this folder)' },
    model: { short: 'm', value: 'model', description: 'Model, by the name the agent uses' },
    mode: {
      value: 'mode',
      choices: modeWords,
      description: `Permission mode: ${modes.join(', ')}`,
    },
    effort: { value: 'level', description: 'Reasoning effort, if the agent supports it' },
    resume: {
      short: 'r',
      value: 'session',
      description: 'Session to resume: id, name, or latest',
    },
    worktree: {
      value: 'name',
      optional: true,
      description: 'Start in a new git worktree; without a name, one is generated',
    },
    acp: { description: 'Use ACP instead of a terminal' },
    attach: { description: 'Attach this terminal to it' },
    json: { description: 'Print a JSON object' },
  },
  rest: 'native arguments',
  examples: [
    'remora new gemini',
    'remora new claude --prompt "Fix the failing test" --mode acceptEdits',
    'remora new codex --worktree=fix-login --attach',
    'remora new gemini --resume latest',
    'remora new gemini --acp --prompt "What is in this folder?"',
    'remora new gemini -- --debug',
  ],
  async run(input, io) {
    const { newSession } = await import('./new-session.ts')
    return newSession(input, io)
  },
}
