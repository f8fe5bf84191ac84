import type { Verb } from './verb.ts'

/** Every verb, in the order of the help text. Its file is loaded only when it is used. */
export const verbs: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Verb> }>
> = {
  run: {
    summary: 'Run an agent once and show what it does',
    load: async () => (await import('./commands/run.ts')).run,
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
