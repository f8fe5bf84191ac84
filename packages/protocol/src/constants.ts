// What is known without zod: to load that takes longer than many a command needs in all.
import type { CommandState } from './command.ts'
import type { Origin } from './event.ts'

/** The five ways in, from the one that knows best to the one that knows least. */
export const channels = ['transcripts', 'acp', 'headless', 'hooks', 'terminal'] as const

export const mediaKinds = ['image', 'audio', 'video', 'document'] as const

export const statuses = [
  'starting',
  'idle',
  'working',
  'waiting',
  'retrying',
  'compacting',
  'mode',
  'model',
  'plan',
  'commands',
  'rewound',
  'ended',
] as const

export const askKinds = ['permission', 'question', 'plan', 'trust', 'dialog'] as const

/** What a prompt is: text for the model, or a shell command or slash command of the agent's own interface. */
export const promptKinds = ['text', 'shell', 'slash'] as const

/** Who or what decided. */
export const answerSources = ['person', 'terminal', 'policy', 'timeout', 'cancel'] as const

/** What people may do: each all that the one before it may, and more. */
export const personRoles = ['viewer', 'member', 'owner'] as const

export const commandStates = ['queued', 'sent', 'done', 'withdrawn', 'refused'] as const

const next: Record<CommandState, readonly CommandState[]> = {
  queued: ['sent', 'withdrawn', 'refused'],
  // Back again where the agent could not take it yet, as when a person types at its terminal.
  sent: ['done', 'refused', 'queued'],
  done: [],
  withdrawn: [],
  refused: [],
}

/** Whether a command may go from one state to another. @example canMove('queued', 'sent') // true */
export function canMove(from: CommandState, to: CommandState): boolean {
  return next[from].includes(to)
}

/** One string for an origin, for indexes. @example originId(event.origin) */
export function originId(origin: Origin): string {
  return JSON.stringify([origin.channel, origin.source, origin.key, origin.digest ?? ''])
}
