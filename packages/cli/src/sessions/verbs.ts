// Command lines of the group Sessions. The implementation of a verb is in another file, loaded when it runs, so that help stays fast.
import { filterOptions, sessionArgument } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const show: Verb = {
  name: 'show',
  description: 'Show a session: messages, tool calls and results',
  positionals: [
    {
      name: 'session',
      required: true,
      description: 'Session id or prefix, name, latest, or a transcript file',
    },
  ],
  options: {
    agent: filterOptions.agent,
    last: { value: 'n', description: 'Show only the last messages; fast for a long session' },
    thinking: { description: 'Show thinking, if the agent reports it' },
    all: { description: 'Show the context that the CLI added, too' },
    markdown: { description: 'Print a Markdown document' },
    html: { description: 'Print a self-contained HTML page' },
    raw: { description: 'Print the agent’s own records, one per line' },
    json: { description: 'Print the messages as a JSON array' },
  },
  examples: [
    'remora show latest',
    'remora show latest --last 20',
    'remora show 3f2a9c1e --thinking',
    'remora show ~/.claude/projects/app/3f2a9c1e.jsonl',
    'remora show latest --agent gemini --markdown > session.md',
    'remora show 3f2a9c1e --html > session.html',
    'remora show latest --json | jq -r \'.[].content[] | select(.type == "text") | .text\'',
  ],
  printsJson: ({ values }) => values['json'] === true || values['raw'] === true,
  async run(input, io) {
    const { showSession } = await import('./show/show-session.ts')
    return showSession(input, io)
  },
}

export const watch: Verb = {
  name: 'watch',
  description: 'Follow a session live, until Ctrl+C',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
    from: {
      value: 'where',
      choices: ['start', 'now'],
      description: 'Start at the beginning (start) or with new events (now, default)',
    },
    thinking: { description: 'Show thinking, if the agent reports it' },
    json: { description: 'Print events as JSON, one per line' },
  },
  examples: [
    'remora watch latest',
    'remora watch 3f2a9c1e --from start',
    'remora watch latest --json | jq -r \'select(.type == "tool_use") | .name\'',
  ],
  async run(input, io) {
    const { watchSession } = await import('./show/watch-session.ts')
    return watchSession(input, io)
  },
}

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

export const restore: Verb = {
  name: 'restore',
  description: 'Restore a session that its agent deleted or damaged',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, or name' }],
  options: {
    agent: filterOptions.agent,
    cwd: { value: 'folder', description: 'Working folder of the session, if unknown' },
    json: { description: 'Print the written files as a JSON object' },
  },
  examples: ['remora sessions restore 3f2a9c1e', 'remora sessions restore 3f2a9c1e --cwd ~/work'],
  async run(input, io) {
    const { restore: restoreSession } = await import('./restore-session.ts')
    return restoreSession(input, io)
  },
}

export const follow: Verb = {
  name: 'follow',
  description: 'Import new session data continuously, until Ctrl+C',
  options: { json: { description: 'Print one JSON line per changed file' } },
  examples: [
    'remora import follow',
    'remora import follow --json',
    'nohup remora import follow > /dev/null &',
  ],
  async run(input, io) {
    const { followAgents } = await import('./follow-agents.ts')
    return followAgents(input, io)
  },
}

export const guard: Verb = {
  name: 'guard',
  description: 'Turn off automatic session deletion in agents. Exits with 1 if changes are left',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: {
    yes: { short: 'y', description: 'Make the changes without asking' },
    json: { description: 'Print a JSON array without asking' },
  },
  examples: ['remora agents guard', 'remora agents guard --yes', 'remora agents guard gemini --json'],
  async run(input, io) {
    const { guardAgents } = await import('./guard-agents.ts')
    return guardAgents(input, io)
  },
}

// Listed here, because help must not load the protocol. A test compares both.
const channels = ['transcripts', 'acp', 'headless', 'hooks', 'terminal'] as const

export const trace: Verb = {
  name: 'trace',
  description: 'Print the protocol messages between client and agent',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
    method: {
      value: 'glob',
      description: 'Only these methods and replies, or update kinds: session/*, tool_call*',
    },
    full: { description: 'Print messages in full, with secrets unmasked' },
    follow: { short: 'f', description: 'Keep printing new entries until Ctrl+C' },
    channel: {
      value: 'channel',
      choices: channels,
      description: `Print another channel instead of acp: ${channels.filter((name) => name !== 'acp').join(', ')}`,
    },
    json: { description: 'Print raw messages, one per line: {at, from, message}' },
  },
  examples: [
    'remora sessions trace latest',
    'remora sessions trace 3f2a9c1e --method session/request_permission --full',
    'remora sessions trace latest --follow',
    'remora sessions trace latest --json | jq -c \'select(.from == "agent").message.method\'',
    'remora sessions trace 3f2a9c1e --channel transcripts',
  ],
  async run(input, io) {
    const { traceSession } = await import('./trace/trace-session.ts')
    return traceSession(input, io)
  },
}

export const bundle: Verb = {
  name: 'bundle',
  description: 'Pack a session for a bug report, without secrets: events, messages, versions, doctor output',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
    output: { short: 'o', value: 'file', description: 'Output file (default: in this folder)' },
    folder: { description: 'Write a folder instead of one file' },
    force: { description: 'Overwrite existing files' },
    json: { description: 'Print the list of packed files as a JSON object' },
  },
  examples: [
    'remora sessions bundle latest',
    'remora sessions bundle 3f2a9c1e --output ~/report.tar.gz',
    'remora sessions bundle latest --folder --output report',
  ],
  async run(input, io) {
    const { bundleSession } = await import('./bundle/bundle-session.ts')
    return bundleSession(input, io)
  },
}
