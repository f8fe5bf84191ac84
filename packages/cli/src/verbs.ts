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
    load: async () => (await import('./sessions/show.ts')).show,
  },
  watch: {
    group: 'Sessions',
    summary: 'Follow a session live',
    load: async () => (await import('./sessions/watch.ts')).watch,
  },
  search: {
    group: 'Sessions',
    summary: 'Search all sessions',
    load: async () => (await import('./sessions/search.ts')).search,
  },
  resume: {
    group: 'Sessions',
    summary: 'Resume a session in its own CLI',
    load: async () => (await import('./sessions/resume.ts')).resume,
  },
  import: {
    group: 'Sessions',
    summary: 'Import all agent sessions into the ledger',
    load: async () => (await import('./sessions/import.ts')).importVerb,
  },
  new: {
    group: 'Live',
    summary: 'Start an agent in the background',
    load: async () => (await import('./live/new.ts')).newVerb,
  },
  ls: {
    group: 'Live',
    summary: 'List live sessions',
    load: async () => (await import('./live/ls.ts')).ls,
  },
  attach: {
    group: 'Live',
    summary: 'Open a live session in this terminal',
    load: async () => (await import('./live/attach.ts')).attach,
  },
  send: {
    group: 'Live',
    summary: 'Send a prompt to a live session',
    load: async () => (await import('./live/send.ts')).send,
  },
  asks: {
    group: 'Live',
    summary: 'List approval requests and questions',
    load: async () => (await import('./live/asks.ts')).asks,
  },
  answer: {
    group: 'Live',
    summary: 'Answer an approval request or question',
    load: async () => (await import('./live/answer.ts')).answer,
  },
  cancel: {
    group: 'Live',
    summary: 'Interrupt a live session',
    load: async () => (await import('./live/cancel.ts')).cancel,
  },
  end: {
    group: 'Live',
    summary: 'End a live session',
    load: async () => (await import('./live/end.ts')).end,
  },
  adopt: {
    group: 'Live',
    summary: 'Manage an agent that runs in your own tmux',
    load: async () => (await import('./live/adopt.ts')).adopt,
  },
  worktrees: {
    group: 'Live',
    summary: 'List git worktrees of sessions, or remove one',
    load: async () => (await import('./live/worktrees.ts')).worktrees,
  },
  run: {
    group: 'Run',
    summary: 'Run an agent once and print its output',
    load: async () => (await import('./run/run.ts')).run,
  },
  chat: {
    group: 'Run',
    summary: 'Chat with an agent in this terminal',
    load: async () => (await import('./run/chat.ts')).chat,
  },
  demo: {
    group: 'Run',
    summary: 'Try Remora without an API key',
    load: async () => (await import('./run/demo.ts')).demo,
  },
  acp: {
    group: 'Run',
    summary: 'Run an agent over ACP for an editor',
    load: async () => (await import('./run/acp.ts')).acp,
  },
  mcp: {
    group: 'Run',
    summary: 'Run an MCP server that lets an agent use other agents’ sessions',
    load: async () => (await import('./run/mcp.ts')).mcp,
  },
  usage: {
    group: 'Insights',
    summary: 'Show token usage and cost',
    load: async () => (await import('./insights/usage.ts')).usage,
  },
  audit: {
    group: 'Insights',
    summary: 'Show approvals and verify the audit log',
    load: async () => (await import('./insights/audit.ts')).audit,
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
    load: async () => (await import('./insights/pave.ts')).pave,
  },
  agents: {
    group: 'Agents',
    summary: 'List supported agents and their channels',
    load: async () => (await import('./agents/agents.ts')).agents,
  },
  doctor: {
    group: 'Agents',
    summary: 'Check agents, credentials and settings',
    load: async () => (await import('./agents/doctor.ts')).doctor,
  },
  hooks: {
    group: 'Agents',
    summary: 'Install, check or remove agent hooks',
    load: async () => (await import('./agents/hooks.ts')).hooks,
  },
  serve: {
    group: 'Server',
    summary: 'Run the server and the app',
    load: async () => (await import('./server/serve.ts')).serve,
  },
  stop: {
    group: 'Server',
    summary: 'Stop the server',
    load: async () => (await import('./server/stop.ts')).stop,
  },
  status: {
    group: 'Server',
    summary: 'Show the server status',
    load: async () => (await import('./server/status.ts')).status,
  },
  logs: {
    group: 'Server',
    summary: 'Show the server log',
    load: async () => (await import('./server/logs.ts')).logs,
  },
  service: {
    group: 'Server',
    summary: 'Start Remora at login (systemd, launchd)',
    load: async () => (await import('./server/service.ts')).service,
  },
  pair: {
    group: 'Server',
    summary: 'Pair a phone or browser',
    load: async () => (await import('./server/pair.ts')).pair,
  },
  devices: {
    group: 'Server',
    summary: 'List paired devices, or revoke one',
    load: async () => (await import('./server/devices.ts')).devices,
  },
  people: {
    group: 'Server',
    summary: 'List people, change a role, or remove a person',
    load: async () => (await import('./server/people.ts')).people,
  },
  nodes: {
    group: 'Server',
    summary: 'List machines that share the ledger',
    load: async () => (await import('./server/nodes.ts')).nodes,
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
    load: async () => (await import('./setup/uninstall.ts')).uninstall,
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
    load: async () => (await import('./sessions/restore.ts')).restore,
  },
  trace: {
    parent: 'sessions',
    summary: 'Print the protocol messages between client and agent',
    load: async () => (await import('./sessions/trace.ts')).trace,
  },
  bundle: {
    parent: 'sessions',
    summary: 'Pack a session for a bug report, without secrets',
    load: async () => (await import('./sessions/bundle.ts')).bundle,
  },
  follow: {
    parent: 'import',
    summary: 'Import new session data continuously',
    load: async () => (await import('./sessions/follow.ts')).follow,
  },
  migrate: {
    parent: 'data',
    summary: 'Move the ledger to a shared PostgreSQL database, or back',
    load: async () => (await import('./setup/migrate.ts')).migrate,
  },
  suggest: {
    parent: 'desires',
    summary: 'Suggest fixes for failing calls',
    load: async () => (await import('./insights/suggest.ts')).suggest,
  },
  map: {
    parent: 'desires',
    summary: 'Link a failure pattern to documentation, or unlink it',
    load: async () => (await import('./insights/map.ts')).map,
  },
  sources: {
    parent: 'desires',
    summary: 'List agents with hook status and number of recorded calls',
    load: async () => (await import('./insights/sources.ts')).sources,
  },
  guard: {
    parent: 'agents',
    summary: 'Turn off automatic session deletion in agents',
    load: async () => (await import('./sessions/guard.ts')).guard,
  },
  ingest: {
    parent: 'hooks',
    summary: 'Read a hook payload from standard input, or import the hook spool',
    load: async () => (await import('./agents/ingest.ts')).ingest,
  },
  cert: {
    parent: 'serve',
    summary: 'Create a certificate that phones can trust',
    load: async () => (await import('./server/cert.ts')).cert,
  },

  // Earlier names of other verbs, for scripts and hooks that use them.
  init: {
    currentName: 'hooks install',
    summary: 'Install agent hooks',
    load: async () => (await import('./agents/hooks.ts')).init,
  },
  record: {
    currentName: 'hooks ingest',
    summary: 'Same as remora hooks ingest',
    load: async () => (await import('./agents/ingest.ts')).record,
  },
  aliases: {
    currentName: 'alias',
    summary: 'List aliases',
    load: async () => (await import('./insights/alias.ts')).aliases,
  },
  mappings: {
    currentName: 'desires map',
    summary: 'List failure patterns linked to documentation',
    load: async () => (await import('./insights/map.ts')).mappings,
  },
}
