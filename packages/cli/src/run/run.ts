import { modeWords, modes } from '../args/modes.ts'
import type { Verb } from '../command/verb.ts'

export const run: Verb = {
  name: 'run',
  description: 'Run an agent once and print its output',
  positionals: [
    { name: 'agent', required: true, description: 'Agent, or several separated by commas' },
    { name: 'prompt', description: 'Prompt; - or none reads standard input' },
  ],
  options: {
    json: { description: 'Print events as JSON, one per line' },
    slash: { description: 'Run the prompt as a slash command' },
    quiet: { short: 'q', description: 'Print only the answer' },
    schema: { value: 'file', description: 'Print the answer as JSON that matches this JSON schema' },
    thinking: { description: 'Show thinking, if the agent reports it' },
    mode: {
      value: 'mode',
      choices: modeWords,
      description: `Permission mode: ${modes.join(', ')}`,
    },
    model: { short: 'm', value: 'model', description: 'Model, by the name the agent uses' },
    effort: { value: 'level', description: 'Reasoning effort, if the agent supports it' },
    resume: { short: 'r', value: 'id', description: 'Session to resume: id or prefix, name, or latest' },
    fork: { description: 'With --resume: continue in a copy of the session' },
    'session-id': { value: 'id', description: 'Id for the new session' },
    cwd: { value: 'folder', description: 'Working folder (default: this folder)' },
    system: { value: 'text', description: 'System prompt, instead of the agent’s own' },
    attach: { value: 'file', many: true, description: 'Attach an image, audio, video or PDF file' },
    mcp: {
      value: 'name=server',
      many: true,
      description: 'Add an MCP server for this run: a command, or https://…',
    },
    allow: {
      value: 'rule',
      many: true,
      description: 'Allow a tool without asking, in the agent’s own rule syntax',
    },
    'skip-trust': { description: 'Run in an untrusted folder' },
    timeout: { value: 'time', description: 'Timeout for the whole run: 90 (seconds), 5m, 1h' },
    'idle-timeout': { value: 'time', description: 'Timeout without any output' },
    'startup-timeout': { value: 'time', description: 'Timeout for the first output' },
    retries: { value: 'count', description: 'Number of retries after a transient failure' },
  },
  rest: 'native arguments',
  examples: [
    'remora run gemini "What is in this folder?"',
    'remora run claude "Fix the failing test" --mode acceptEdits',
    '(echo "Review this:"; git diff) | remora run codex --quiet > review.md',
    'remora run gemini "Continue" --resume latest',
    'remora run gemini "Rate it" --attach photo.png --schema rating.json',
    'remora run gemini "Use the tool" --mcp "files=npx -y my-server /tmp"',
    'remora run gemini,claude "Which test is slow?" --mode plan',
    'remora run gemini "Say hello" --json -- --debug',
  ],
  printsJson: ({ values }) => values['json'] === true || values['schema'] !== undefined,
  async run(input, io) {
    const { runAgents } = await import('./run-agents.ts')
    return runAgents(input, io)
  },
}
