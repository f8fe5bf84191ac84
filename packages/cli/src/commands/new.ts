import { modeWords, modes } from '../mode-words.ts'
import type { Verb } from '../verb.ts'

export const newVerb: Verb = {
  name: 'new',
  description: 'Start an agent that goes on by itself, to be watched and driven from anywhere',
  positionals: [{ name: 'agent', required: true, description: 'The agent' }],
  options: {
    prompt: { short: 'p', value: 'text', description: 'What to tell it first; - reads standard input' },
    slash: { description: 'Run the prompt as a slash command of the agent' },
    shell: { description: 'Run the prompt as a shell command in the agent’s terminal' },
    cwd: { value: 'folder', description: 'Where it works; here by default' },
    model: { short: 'm', value: 'model', description: 'The model, by a name that the agent knows' },
    mode: {
      value: 'mode',
      choices: modeWords,
      description: `What it may do unasked: ${modes.join(', ')}`,
    },
    effort: { value: 'level', description: 'How hard to think, where the agent lets one say' },
    resume: {
      short: 'r',
      value: 'session',
      description: 'Go on with a session: its id, its name, or latest',
    },
    worktree: {
      value: 'name',
      optional: true,
      description: 'In a git worktree of its own; a name for it is made up if none is given',
    },
    acp: { description: 'Without a terminal, over ACP' },
    attach: { description: 'Hand this terminal over to it at once' },
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
    const { newSession } = await import('../live/new-session.ts')
    return newSession(input, io)
  },
}
