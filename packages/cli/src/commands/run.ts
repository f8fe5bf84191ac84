import { modeWords, modes } from '../mode-words.ts'
import type { Verb } from '../verb.ts'

export const run: Verb = {
  name: 'run',
  description: 'Run an agent once and show what it does',
  positionals: [
    { name: 'agent', required: true, description: 'An agent, or several with commas between them' },
    { name: 'prompt', description: 'What to tell it; - or nothing reads standard input' },
  ],
  options: {
    json: { description: 'Print one event a line, as JSON' },
    slash: { description: 'Run the prompt as a slash command of the agent' },
    quiet: { short: 'q', description: 'Print only the answer' },
    schema: { value: 'file', description: 'Print the answer as JSON that fits this JSON schema' },
    thinking: { description: 'Show what the agent thinks, where it tells' },
    mode: {
      value: 'mode',
      choices: modeWords,
      description: `What it may do unasked: ${modes.join(', ')}`,
    },
    model: { short: 'm', value: 'model', description: 'The model, by a name that the agent knows' },
    effort: { value: 'level', description: 'How hard to think, where the agent lets one say' },
    resume: { short: 'r', value: 'id', description: 'Go on with a session: its id, or latest' },
    fork: { description: 'With --resume: leave that session as it is and go on in a copy' },
    'session-id': { value: 'id', description: 'The id that the new session shall have' },
    cwd: { value: 'folder', description: 'Where the agent works; here by default' },
    system: { value: 'text', description: 'Instructions in place of the agent’s own' },
    attach: { value: 'file', many: true, description: 'An image, audio, video or PDF to go with the prompt' },
    mcp: {
      value: 'name=server',
      many: true,
      description: 'An MCP server for this run: a command, or https://…',
    },
    allow: {
      value: 'rule',
      many: true,
      description: 'A tool that needs no permission, in the agent’s own words',
    },
    'skip-trust': { description: 'Run in a folder that was not trusted yet' },
    timeout: { value: 'time', description: 'How long it may take in all: 90 (seconds), 5m, 1h' },
    'idle-timeout': { value: 'time', description: 'How long it may say nothing' },
    'startup-timeout': { value: 'time', description: 'How long it may take to say the first thing' },
    retries: { value: 'count', description: 'How often to try again after a failure that may pass' },
  },
  rest: 'native arguments',
  examples: [
    'remora run gemini "What is in this folder?"',
    'remora run claude "Fix the failing test" --mode acceptEdits',
    '(echo "Review this:"; git diff) | remora run codex --quiet > review.md',
    'remora run gemini "Go on" --resume latest',
    'remora run gemini "Rate it" --attach photo.png --schema rating.json',
    'remora run gemini "Use the tool" --mcp "files=npx -y my-server /tmp"',
    'remora run gemini,claude "Which test is slow?" --mode plan',
    'remora run gemini "Say hello" --json -- --debug',
  ],
  printsJson: ({ values }) => values['json'] === true || values['schema'] !== undefined,
  async run(input, io) {
    const { runAgents } = await import('../run/run-agents.ts')
    return runAgents(input, io)
  },
}
