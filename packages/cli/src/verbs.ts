import type { Verb } from './verb.ts'

/** Every verb, in the order of the help text. Its file is loaded only when it is used. */
export const verbs: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Verb> }>
> = {
  run: {
    summary: 'Run an agent once and show what it does',
    load: async () => (await import('./commands/run.ts')).run,
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
  search: {
    summary: 'Find words in every session',
    load: async () => (await import('./commands/search.ts')).search,
  },
  usage: {
    summary: 'Tokens and what they cost',
    load: async () => (await import('./commands/usage.ts')).usage,
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
