import type { VerbTable } from './command/verb.ts'

/** Every verb. Its file is loaded only when it is used. */
export const verbs: VerbTable = {
  sessions: {
    group: 'Sessions',
    summary: 'List sessions of all agents, newest first',
    load: async () => (await import('./sessions/sessions.ts')).sessions,
  },
  show: {
    group: 'Sessions',
    summary: 'Show a session: messages, tool calls and results',
    load: async () => (await import('./sessions/verbs.ts')).show,
  },
  watch: {
    group: 'Sessions',
    summary: 'Follow a session live',
    load: async () => (await import('./sessions/verbs.ts')).watch,
  },
  search: {
    group: 'Sessions',
    summary: 'Search all sessions',
    load: async () => (await import('./sessions/search.ts')).search,
  },
  resume: {
    group: 'Sessions',
    summary: 'Resume a session in its own CLI',
    load: async () => (await import('./sessions/verbs.ts')).resume,
  },
  import: {
    group: 'Sessions',
    summary: 'Import all agent sessions into the ledger',
    load: async () => (await import('./sessions/import.ts')).importVerb,
  },
  new: {
    group: 'Live',
    summary: 'Start an agent in the background',
    load: async () => (await import('./live/verbs.ts')).newVerb,
  },
  ls: {
    group: 'Live',
    summary: 'List live sessions',
    load: async () => (await import('./live/verbs.ts')).ls,
  },
  attach: {
    group: 'Live',
    summary: 'Open a live session in this terminal',
    load: async () => (await import('./live/verbs.ts')).attach,
  },
  send: {
    group: 'Live',
    summary: 'Send a prompt to a live session',
    load: async () => (await import('./live/verbs.ts')).send,
  },
  asks: {
    group: 'Live',
    summary: 'List approval requests and questions',
    load: async () => (await import('./live/verbs.ts')).asks,
  },
  answer: {
    group: 'Live',
    summary: 'Answer an approval request or question',
    load: async () => (await import('./live/verbs.ts')).answer,
  },
  cancel: {
    group: 'Live',
    summary: 'Interrupt a live session',
    load: async () => (await import('./live/verbs.ts')).cancel,
  },
  end: {
    group: 'Live',
    summary: 'End a live session',
    load: async () => (await import('./live/verbs.ts')).end,
  },
  adopt: {
    group: 'Live',
    summary: 'Manage an agent that runs in your own tmux',
    load: async () => (await import('./live/verbs.ts')).adopt,
  },
  worktrees: {
    group: 'Live',
    summary: 'List git worktrees of sessions, or remove one',
    load: async () => (await import('./live/verbs.ts')).worktrees,
  },
  run: {
    group: 'Run',
    summary: 'Run an agent once and print its output',
    load: async () => (await import('./run/verbs.ts')).run,
  },
  chat: {
    group: 'Run',
    summary: 'Chat with an agent in this terminal',
    load: async () => (await import('./run/verbs.ts')).chat,
  },
  demo: {
    group: 'Run',
    summary: 'Try Remora without an API key',
    load: async () => (await import('./run/verbs.ts')).demo,
  },
  acp: {
    group: 'Run',
    summary: 'Run an agent over ACP for an editor',
    load: async () => (await import('./run/verbs.ts')).acp,
  },
  mcp: {
    group: 'Run',
    summary: 'Run an MCP server that lets an agent use other agents’ sessions',
    load: async () => (await import('./run/verbs.ts')).mcp,
  },
  usage: {
    group: 'Insights',
    summary: 'Show token usage and cost',
    load: async () => (await import('./insights/usage.ts')).usage,
  },
  audit: {
    group: 'Insights',
    summary: 'Show approvals and verify the audit log',
    load: async () => (await import('./insights/verbs.ts')).audit,
  },
  desires: {
    group: 'Insights',
    summary: 'Show failed tool calls, grouped and ranked',
    load: async () => (await import('./insights/desires.ts')).desires,
  },
  alias: {
    group: 'Insights',
    summary: 'Correct a tool, command, flag or text that agents get wrong',
    load: async () => (await import('./insights/alias.ts')).alias,
  },
  pave: {
    group: 'Insights',
    summary: 'Correct failing calls with a hook, or write lessons to a memory file',
    load: async () => (await import('./insights/verbs.ts')).pave,
  },
  agents: {
    group: 'Agents',
    summary: 'List supported agents and their channels',
    load: async () => (await import('./agents/agents.ts')).agents,
  },
  doctor: {
    group: 'Agents',
    summary: 'Check agents, credentials and settings',
    load: async () => (await import('./agents/verbs.ts')).doctor,
  },
  hooks: {
    group: 'Agents',
    summary: 'Install, check or remove agent hooks',
    load: async () => (await import('./agents/verbs.ts')).hooks,
  },
  serve: {
    group: 'Server',
    summary: 'Run the server and the app',
    load: async () => (await import('./server/verbs.ts')).serve,
  },
  stop: {
    group: 'Server',
    summary: 'Stop the server',
    load: async () => (await import('./server/verbs.ts')).stop,
  },
  status: {
    group: 'Server',
    summary: 'Show the server status',
    load: async () => (await import('./server/verbs.ts')).status,
  },
  logs: {
    group: 'Server',
    summary: 'Show the server log',
    load: async () => (await import('./server/logs.ts')).logs,
  },
  service: {
    group: 'Server',
    summary: 'Start Remora at login (systemd, launchd)',
    load: async () => (await import('./server/verbs.ts')).service,
  },
  pair: {
    group: 'Server',
    summary: 'Pair a phone or browser',
    load: async () => (await import('./server/verbs.ts')).pair,
  },
  devices: {
    group: 'Server',
    summary: 'List paired devices, or revoke one',
    load: async () => (await import('./server/verbs.ts')).devices,
  },
  people: {
    group: 'Server',
    summary: 'List people, change a role, or remove a person',
    load: async () => (await import('./server/verbs.ts')).people,
  },
  nodes: {
    group: 'Server',
    summary: 'List machines that share the ledger',
    load: async () => (await import('./server/verbs.ts')).nodes,
  },
  config: {
    group: 'Setup',
    summary: 'Show or change settings',
    load: async () => (await import('./setup/config.ts')).config,
  },
  data: {
    group: 'Setup',
    summary: 'Show, back up or shrink the ledger',
    load: async () => (await import('./setup/data.ts')).data,
  },
  completion: {
    group: 'Setup',
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./setup/completion.ts')).createCompletion(verbs),
  },
  uninstall: {
    group: 'Setup',
    summary: 'Restore the settings of all agents',
    load: async () => (await import('./setup/verbs.ts')).uninstall,
  },

  // Subcommands. Each also works by itself, as it did in earlier versions.
  name: {
    parent: 'sessions',
    summary: 'Name a session, or remove its name',
    load: async () => (await import('./sessions/annotate.ts')).nameVerb,
  },
  pin: {
    parent: 'sessions',
    summary: 'Pin a session to the top of the list',
    load: async () => (await import('./sessions/annotate.ts')).pinVerb,
  },
  hide: {
    parent: 'sessions',
    summary: 'Hide a session from the list',
    load: async () => (await import('./sessions/annotate.ts')).hideVerb,
  },
  forget: {
    parent: 'sessions',
    summary: 'Delete a session from the ledger',
    load: async () => (await import('./sessions/forget.ts')).forget,
  },
  restore: {
    parent: 'sessions',
    summary: 'Restore a session that its agent deleted or damaged',
    load: async () => (await import('./sessions/verbs.ts')).restore,
  },
  trace: {
    parent: 'sessions',
    summary: 'Print the protocol messages between client and agent',
    load: async () => (await import('./sessions/verbs.ts')).trace,
  },
  bundle: {
    parent: 'sessions',
    summary: 'Pack a session for a bug report, without secrets',
    load: async () => (await import('./sessions/verbs.ts')).bundle,
  },
  follow: {
    parent: 'import',
    summary: 'Import new session data continuously',
    load: async () => (await import('./sessions/verbs.ts')).follow,
  },
  migrate: {
    parent: 'data',
    summary: 'Move the ledger to a shared PostgreSQL database, or back',
    load: async () => (await import('./setup/verbs.ts')).migrate,
  },
  suggest: {
    parent: 'desires',
    summary: 'Suggest fixes for failing calls',
    load: async () => (await import('./insights/verbs.ts')).suggest,
  },
  map: {
    parent: 'desires',
    summary: 'Link a failure pattern to documentation, or unlink it',
    load: async () => (await import('./insights/verbs.ts')).map,
  },
  sources: {
    parent: 'desires',
    summary: 'List agents with hook status and number of recorded calls',
    load: async () => (await import('./insights/verbs.ts')).sources,
  },
  guard: {
    parent: 'agents',
    summary: 'Turn off automatic session deletion in agents',
    load: async () => (await import('./sessions/verbs.ts')).guard,
  },
  add: {
    parent: 'agents',
    nested: true,
    summary: 'Add an agent: a plugin package, or an ACP command',
    load: async () => (await import('./agents/added/verbs.ts')).add,
  },
  trust: {
    parent: 'agents',
    nested: true,
    summary: 'Accept the changed files of a plugin',
    load: async () => (await import('./agents/added/verbs.ts')).trust,
  },
  available: {
    parent: 'agents',
    nested: true,
    summary: 'List the agents of an ACP registry file',
    load: async () => (await import('./agents/added/verbs.ts')).available,
  },
  scaffold: {
    parent: 'agents',
    nested: true,
    summary: 'Write a plugin package to start from',
    load: async () => (await import('./agents/added/verbs.ts')).scaffold,
  },
  remove: {
    parent: 'agents',
    nested: true,
    summary: 'Remove an agent that you added',
    load: async () => (await import('./agents/added/verbs.ts')).remove,
  },
  ingest: {
    parent: 'hooks',
    summary: 'Read a hook payload from standard input, or import the hook spool',
    load: async () => (await import('./agents/verbs.ts')).ingest,
  },
  cert: {
    parent: 'serve',
    summary: 'Create a certificate that phones can trust',
    load: async () => (await import('./server/verbs.ts')).cert,
  },

  // Earlier names of other verbs, for scripts and hooks that use them.
  init: {
    currentName: 'hooks install',
    summary: 'Install agent hooks',
    load: async () => (await import('./agents/verbs.ts')).init,
  },
  record: {
    currentName: 'hooks ingest',
    summary: 'Same as remora hooks ingest',
    load: async () => (await import('./agents/verbs.ts')).record,
  },
  aliases: {
    currentName: 'alias',
    summary: 'List aliases',
    load: async () => (await import('./insights/alias.ts')).aliases,
  },
  mappings: {
    currentName: 'desires map',
    summary: 'List failure patterns linked to documentation',
    load: async () => (await import('./insights/verbs.ts')).mappings,
  },
}
