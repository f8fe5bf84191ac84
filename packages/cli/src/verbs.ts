import type { Verb } from './verb.ts'

/** Every verb, in the order of the help text. Its file is loaded only when it is used. */
export const verbs: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Verb> }>
> = {
  serve: {
    summary: 'Run the server that holds live sessions, for terminals and phones, until Ctrl+C',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  stop: {
    summary: 'End the server; agents go on',
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  status: {
    summary: 'Say whether the server runs, where, and what it holds',
    load: async () => (await import('./commands/status.ts')).status,
  },
  new: {
    summary: 'Start an agent that goes on by itself, to be watched and driven from anywhere',
    load: async () => (await import('./commands/new.ts')).newVerb,
  },
  ls: {
    summary: 'List the sessions that go on now',
    load: async () => (await import('./commands/ls.ts')).ls,
  },
  attach: {
    summary: 'Hand this terminal over to a live session',
    load: async () => (await import('./commands/attach.ts')).attach,
  },
  adopt: {
    summary: 'Take in an agent that runs in your own tmux',
    load: async () => (await import('./commands/adopt.ts')).adopt,
  },
  send: {
    summary: 'Say something to a live session',
    load: async () => (await import('./commands/send.ts')).send,
  },
  cancel: {
    summary: 'Break off what a live session does',
    load: async () => (await import('./commands/cancel.ts')).cancel,
  },
  end: {
    summary: 'End a live session',
    load: async () => (await import('./commands/end.ts')).end,
  },
  run: {
    summary: 'Run an agent once and show what it does',
    load: async () => (await import('./commands/run.ts')).run,
  },
  chat: {
    summary: 'Talk with an agent over ACP, on this terminal',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  demo: {
    summary: 'Try Remora without a key: the real Gemini CLI, on a model that only plays a part',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  acp: {
    summary: 'Be an ACP agent for an editor: the real one does the work, and the ledger knows of it',
    load: async () => (await import('./commands/acp.ts')).acp,
  },
  asks: {
    summary: 'List what agents wait for a decision on',
    load: async () => (await import('./commands/asks.ts')).asks,
  },
  answer: {
    summary: 'Decide what an agent waits for; the first answer counts',
    load: async () => (await import('./commands/answer.ts')).answer,
  },
  audit: {
    summary: 'Show who decided what, and check that nobody has changed that',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  pair: {
    summary: 'Let a phone or a browser in',
    load: async () => (await import('./commands/pair.ts')).pair,
  },
  devices: {
    summary: 'List the devices that may come in, or shut one out',
    load: async () => (await import('./commands/devices.ts')).devices,
  },
  nodes: {
    summary: 'List the machines that share the ledger',
    load: async () => (await import('./commands/nodes.ts')).nodes,
  },
  people: {
    summary: 'List the people whose devices may come in, give one another role, or shut one out',
    load: async () => (await import('./commands/people.ts')).people,
  },
  worktrees: {
    summary: 'List the git worktrees that sessions were started in, or remove one',
    load: async () => (await import('./commands/worktrees.ts')).worktrees,
  },
  logs: {
    summary: 'Show what the server has logged',
    load: async () => (await import('./commands/logs.ts')).logs,
  },
  service: {
    summary: 'Let the system start the server, also after a reboot: install, uninstall, status',
    load: async () => (await import('./commands/service.ts')).service,
  },
  cert: {
    summary: 'Make the certificate that lets a phone trust this machine',
    load: async () => (await import('./commands/cert.ts')).cert,
  },
  mcp: {
    summary: 'Be an MCP server by which one agent can search, read and prompt the sessions of others',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  sessions: {
    summary: 'List the sessions of every agent, the latest first',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  show: {
    summary: 'Show a session: what was said, which tools ran, and what came of them',
    load: async () => (await import('./commands/show.ts')).show,
  },
  watch: {
    summary: 'Show a session while it goes on, until Ctrl+C',
    load: async () => (await import('./commands/watch.ts')).watch,
  },
  trace: {
    summary: 'Print what went over the wire between a client and an agent, in order',
    load: async () => (await import('./commands/trace.ts')).trace,
  },
  bundle: {
    summary: 'Pack a session for a bug report, without secrets',
    load: async () => (await import('./commands/bundle.ts')).bundle,
  },
  search: {
    summary: 'Find words in every session',
    load: async () => (await import('./commands/search.ts')).search,
  },
  usage: {
    summary: 'Tokens and what they cost',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  desires: {
    summary: 'What agents tried to do and could not',
    load: async () => (await import('./commands/desires.ts')).desires,
  },
  sources: {
    summary: 'Where calls come from',
    load: async () => (await import('./commands/sources.ts')).sources,
  },
  map: {
    summary: 'Say where help for a failing pattern stands, or take that back',
    load: async () => (await import('./commands/map.ts')).map,
  },
  mappings: {
    summary: 'List where help for failing patterns stands',
    load: async () => (await import('./commands/mappings.ts')).mappings,
  },
  resume: {
    summary: 'Go on with a session in its own CLI, on this terminal',
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  name: {
    summary: 'Give a session a name of your own, or take it away',
    load: async () => (await import('./commands/name.ts')).name,
  },
  pin: {
    summary: 'Keep a session at the top of the list',
    load: async () => (await import('./commands/pin.ts')).pin,
  },
  hide: {
    summary: 'Leave a session out of the list; nothing is deleted',
    load: async () => (await import('./commands/hide.ts')).hide,
  },
  forget: {
    summary: 'Delete a session from the ledger for good',
    load: async () => (await import('./commands/forget.ts')).forget,
  },
  import: {
    summary: 'Bring everything the agents ever wrote into the ledger, and keep it',
    load: async () => (await import('./commands/import.ts')).importVerb,
  },
  follow: {
    summary: 'Keep the ledger current while agents work, until Ctrl+C',
    load: async () => (await import('./commands/follow.ts')).follow,
  },
  hooks: {
    summary: 'Let agents tell Remora what they do while they do it: install, uninstall, status',
    load: async () => (await import('./commands/hooks.ts')).hooks,
  },
  init: {
    summary: 'The same as remora hooks install',
    load: async () => (await import('./commands/init.ts')).init,
  },
  uninstall: {
    summary: 'Restore the settings of every agent, and list what is left',
    load: async () => (await import('./commands/uninstall.ts')).uninstall,
  },
  ingest: {
    summary: 'Take what a hook is told from standard input, or everything that hooks have left in the spool',
    load: async () => (await import('./commands/ingest.ts')).ingest,
  },
  record: {
    summary: 'The old name of ingest',
    load: async () => (await import('./commands/record.ts')).record,
  },
  guard: {
    summary: 'Keep agents from deleting sessions by themselves; exits with 1 if something is left to do',
    load: async () => (await import('./commands/guard.ts')).guard,
  },
  restore: {
    summary: 'Give a session back to the agent that has deleted or damaged it',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  data: {
    summary: 'Where the ledger is, how big it is, a copy of it, or less of it',
    load: async () => (await import('./commands/data.ts')).data,
  },
  migrate: {
    summary: 'Move the ledger into a database that several machines share, or back',
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  suggest: {
    summary: 'What would mend most failures, ready to paste',
    load: async () => (await import('./commands/suggest.ts')).suggest,
  },
  alias: {
    summary: 'Say what is meant by something that agents try and that does not work',
    load: async () => (await import('./commands/alias.ts')).alias,
  },
  aliases: {
    summary: 'List the aliases',
    load: async () => (await import('./commands/aliases.ts')).aliases,
  },
  pave: {
    summary: 'Let agents take the right way: correct calls before they run, or write the lessons down',
    load: async () => (await import('./commands/pave.ts')).pave,
  },
  agents: {
    summary: 'List the supported agents and what each can do',
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  doctor: {
    summary: 'Find what would stop you, and say how to mend it',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  config: {
    summary: 'Show or change settings',
    load: async () => (await import('./commands/config.ts')).config,
  },
  completion: {
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
}
