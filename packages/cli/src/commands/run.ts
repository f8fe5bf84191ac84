import { resolve } from 'node:path'
import { type Agent, modes, run as start } from '@remora/sdk'
import { colors } from '../colors.ts'
import { loadConfig } from '../config-file.ts'
import type { Io } from '../io.ts'
import { readOptions } from '../run/read-options.ts'
import { readPrompt } from '../run/read-prompt.ts'
import { showSideBySide } from '../run/show-side-by-side.ts'
import { type Screen, type View, showOne } from '../run/show.ts'
import { agentEnvironment, pickAgent } from '../survey.ts'
import { UsageError } from '../usage-error.ts'
import type { Input, Verb } from '../verb.ts'

export const run: Verb = {
  name: 'run',
  description: 'Run an agent once and show what it does',
  positionals: [
    { name: 'agent', required: true, description: 'An agent, or several with commas between them' },
    { name: 'prompt', description: 'What to tell it; - or nothing reads standard input' },
  ],
  options: {
    json: { description: 'Print one event a line, as JSON' },
    quiet: { short: 'q', description: 'Print only the answer' },
    schema: { value: 'file', description: 'Print the answer as JSON that fits this JSON schema' },
    thinking: { description: 'Show what the agent thinks, where it tells' },
    mode: { value: 'mode', choices: modes, description: `What it may do: ${modes.join(', ')}` },
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
  async run(input, io) {
    const [names, word] = input.positionals
    const agents = pickAgents(names!)
    const view = await viewOf(input, io)
    const options = await readOptions(input, io)
    if (agents.length > 1 && options.resume !== undefined && options.resume !== 'latest')
      throw new UsageError('A session belongs to one agent', 'Name that one, or say --resume latest')
    const prompt = await readPrompt(word, options.media !== undefined, io)
    const settings = await loadConfig(io)
    // From here on Ctrl+C is for the agents.
    const signal = io.stopped?.()
    if (view.as === 'person') signal?.addEventListener('abort', () => sayStopping(signal, io))
    const runs = agents.map((agent) => ({
      agent,
      run: start(agent, {
        ...options,
        prompt,
        env: exactly(agentEnvironment(agent, settings, io)),
        ...(signal ? { signal } : {}),
      }),
    }))
    const readerGone = (): boolean => signal?.reason === 'EPIPE'
    const screen: Screen = {
      terminal: io.terminal,
      out: (text) => io.out(text),
      // Whoever stops reading, as `head` does, need not be told that the run was stopped for it.
      err: (text) => (readerGone() ? undefined : io.err(text)),
      drain: () => io.drain?.(),
    }
    const code = await (runs.length === 1
      ? showOne(runs[0]!, view, screen)
      : showSideBySide(runs, view, screen))
    return readerGone() ? 0 : code
  },
}

function pickAgents(names: string): Agent[] {
  const agents = names.split(',').map((name) => pickAgent(name.trim()))
  const twice = agents.find((agent, index) => agents.indexOf(agent) !== index)
  if (twice) throw new UsageError(`${twice.id} is named twice`, 'Name each agent once')
  return agents
}

async function viewOf(input: Input, io: Io): Promise<View> {
  const { json, quiet, schema, thinking, cwd } = input.values
  if (json && quiet) throw new UsageError('Cannot be --json and --quiet at once', 'Leave one of them out')
  return {
    as: json ? 'json' : quiet ? 'answer' : 'person',
    data: schema !== undefined,
    thinking: thinking === true,
    paint: await colors(input, io),
    cwd: resolve(io.cwd, typeof cwd === 'string' ? cwd : '.'),
    ...(typeof cwd === 'string' ? { elsewhere: resolve(io.cwd, cwd) } : {}),
  }
}

/** The given environment and nothing else: what this process has besides is taken out. */
function exactly(env: Io['env']): Record<string, string | undefined> {
  const others = Object.keys(process.env).filter((name) => env[name] === undefined)
  return { ...Object.fromEntries(others.map((name) => [name, undefined])), ...env }
}

function sayStopping(signal: AbortSignal, io: Io): void {
  if (signal.reason === 'SIGINT') io.err('\nStopping the agent. Ctrl+C again leaves at once.\n')
}
