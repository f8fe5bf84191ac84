// Command lines of the group Run. What a verb does is in another file, loaded when it runs: help stays fast.
import { modeDescription } from '../args/modes.ts'
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
    mode: { value: 'mode', description: modeDescription },
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

export const chat: Verb = {
  name: 'chat',
  description: 'Chat with an agent in this terminal',
  positionals: [
    { name: 'agent', required: true, description: 'Agent; or, with a command after --, a name for it' },
  ],
  options: {
    cwd: { value: 'folder', description: 'Working folder (default: this folder)' },
    model: { short: 'm', value: 'model', description: 'Model, by the name the agent uses' },
    mode: { value: 'mode', description: modeDescription },
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

export const demo: Verb = {
  name: 'demo',
  description: 'Try Remora without an API key. Runs the real Gemini CLI on a scripted model',
  options: {
    live: { description: 'Run as a live session that you can watch and answer from any device' },
    yes: { short: 'y', description: 'Install Gemini CLI for the demo without asking' },
  },
  examples: [
    'remora demo',
    'remora demo --yes',
    'remora demo --live',
    'echo "Why does greet.mjs not greet me?" | remora demo',
  ],
  async run(input, io) {
    const { showDemo } = await import('./demo/show-demo.ts')
    return showDemo(input, io)
  },
}

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

export const mcp: Verb = {
  name: 'mcp',
  description: 'Run an MCP server that lets an agent use other agents’ sessions',
  options: {},
  examples: [
    'claude mcp add remora -- remora mcp',
    'gemini mcp add remora remora mcp',
    'codex mcp add remora -- remora mcp',
  ],
  async run(_, io) {
    const { serveMcp } = await import('./mcp/serve-mcp.ts')
    return serveMcp(io, { input: process.stdin, output: process.stdout })
  },
}
