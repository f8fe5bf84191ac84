import type { Verb } from './verb.ts'

/** Every verb, in the order of the help text. Its file is loaded only when it is used. */
export const verbs: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Verb> }>
> = {
  run: {
    summary: 'Run an agent once and show what it does',
    load: async () => (await import('./commands/run.ts')).run,
  },
  chat: {
    summary: 'Talk with an agent over ACP, on this terminal',
    load: async () => (await import('./commands/chat.ts')).chat,
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
    summary: 'Take every trace of Remora out of every agent; the ledger stays',
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
