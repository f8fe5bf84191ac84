// Command lines of the group Live. What a verb does is in another file, loaded when it runs: help stays fast.
import { filterOptions } from '../args/filter-options.ts'
import { modeDescription } from '../args/modes.ts'
import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

const terminalDrivers = ['tmux', 'pty']

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
    mode: { value: 'mode', description: modeDescription },
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
    terminal: {
      value: 'driver',
      choices: terminalDrivers,
      description: 'What holds the terminal: tmux, or pty (no tmux needed)',
    },
    'sign-in': { value: 'method', description: 'Sign in by this method if the agent demands it over ACP' },
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

export const ls: Verb = {
  name: 'ls',
  description: 'List live sessions, and agents in your own tmux that you can adopt',
  options: {
    everywhere: { short: 'e', description: 'Include other machines that share the ledger' },
    all: { short: 'a', description: 'Include sessions that ended recently' },
    watch: { short: 'w', description: 'Update the list on every change, until Ctrl+C' },
    json: { description: 'Print a JSON object: live, adoptable; with --watch, one per line' },
  },
  examples: [
    'remora ls',
    'remora ls --everywhere',
    'remora ls --watch',
    'remora ls --json | jq -r \'.live[] | .id + " " + .state\'',
  ],
  async run(input, io) {
    const { listLive } = await import('./list-live.ts')
    return listLive(input, io)
  },
}

export const attach: Verb = {
  name: 'attach',
  description: 'Open a live session in this terminal. Press Ctrl+B, then D to detach',
  positionals: [{ name: 'session', required: true, description: 'Session id from remora ls, or latest' }],
  options: { print: { description: 'Print the command without running it' } },
  examples: ['remora attach l-7f3k9q', 'remora attach latest', 'remora attach latest --print'],
  async run(input, io) {
    const { attach: run } = await import('./attach-terminal.ts')
    return run(input, io)
  },
}

export const send: Verb = {
  name: 'send',
  description: 'Send a prompt to a live session. It is queued while the agent works',
  positionals: [
    { name: 'session', required: true, description: 'Session id from remora ls, or latest' },
    { name: 'text', many: true, description: 'Prompt; - or none reads standard input' },
  ],
  options: {
    slash: { description: 'Run the text as a slash command' },
    shell: { description: 'Run the text as a shell command of the agent' },
    wait: { short: 'w', description: 'Wait for the answer and print it' },
    timeout: { value: 'time', description: 'With --wait: timeout: 90 (seconds), 5m, 1h' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora send l-7f3k9q "Run the tests again"',
    'remora send latest "What is left to do?" --wait',
    'remora send latest --slash /compact',
    'git diff | remora send latest - --wait --timeout 5m',
  ],
  async run(input, io) {
    const { sendPrompt } = await import('./send-prompt.ts')
    return sendPrompt(input, io)
  },
}

export const asks: Verb = {
  name: 'asks',
  description: 'List approval requests and questions',
  positionals: [
    {
      name: 'which',
      description: 'Request number (shows it in full), or a session: id, name, latest',
    },
  ],
  options: {
    agent: filterOptions.agent,
    all: { description: 'Include requests of agents that have exited' },
    watch: { description: 'Print new requests until Ctrl+C' },
    json: { description: 'Print a JSON array; with --watch, one object per line' },
  },
  examples: [
    'remora asks',
    'remora asks 4821',
    'remora asks latest',
    'remora asks --watch',
    'remora asks --json | jq -r \'.[] | .ask + " " + .title\'',
  ],
  async run(input, io) {
    const { listAsks } = await import('./list-asks.ts')
    return listAsks(input, io)
  },
}

export const answer: Verb = {
  name: 'answer',
  description: 'Answer an approval request or question. The first answer wins',
  positionals: [
    { name: 'ask', required: true, description: 'Request number from remora asks, or part of its id' },
    { name: 'decision', description: 'allow, deny, always, or the number or id of an option' },
  ],
  options: {
    text: { value: 'text', description: 'Free-text answer, if the agent accepts one' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora answer 4821 allow',
    'remora answer 4821 deny',
    'remora answer 4821 2',
    'remora answer 4821 proceed_always_tool',
    'remora answer 4821 --text "Use the other branch"',
  ],
  async run(input, io) {
    const { answerAsk } = await import('./answer-ask.ts')
    return answerAsk(input, io)
  },
}

export const cancel: Verb = {
  name: 'cancel',
  description: 'Interrupt a live session. The session stays open',
  positionals: [{ name: 'session', required: true, description: 'Session id from remora ls, or latest' }],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora cancel l-7f3k9q', 'remora cancel latest'],
  async run(input, io) {
    const { commandSession } = await import('./command-session.ts')
    return commandSession('cancel', input, io)
  },
}

export const end: Verb = {
  name: 'end',
  description: 'End a live session. You can resume its conversation later',
  positionals: [{ name: 'session', required: true, description: 'Session id from remora ls, or latest' }],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora end l-7f3k9q', 'remora end latest'],
  async run(input, io) {
    const { commandSession } = await import('./command-session.ts')
    return commandSession('end', input, io)
  },
}

export const adopt: Verb = {
  name: 'adopt',
  description: 'Manage an agent that runs in your own tmux. It stays in its pane',
  positionals: [
    { name: 'agent', required: true, description: 'Id from remora ls, tmux pane, or process id' },
  ],
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora adopt a-3f9c21', 'remora adopt %3'],
  async run(input, io) {
    const { adopt: run } = await import('./adopt-agent.ts')
    return run(input, io)
  },
}

export const worktrees: Verb = {
  name: 'worktrees',
  description: 'List git worktrees of sessions, or remove one. Unsaved work is never deleted',
  positionals: [
    { name: 'action', description: 'remove: delete a clean worktree; its commits are kept' },
    { name: 'worktree', description: 'Name, branch or path' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora worktrees', 'remora worktrees remove fix-login'],
  async run(input, io) {
    const [action, worktree] = input.positionals
    if (action !== undefined && action !== 'remove')
      throw new UsageError(
        `Unknown action "${action}" for remora worktrees`,
        'Usage: remora worktrees remove <worktree>. To create one: remora new <agent> --worktree=<name>',
      )
    if (action !== undefined && worktree === undefined)
      throw new UsageError('remora worktrees remove needs <worktree>', 'List them: remora worktrees')
    const { worktrees: run } = await import('./manage-worktrees.ts')
    return run(input, io)
  },
}
