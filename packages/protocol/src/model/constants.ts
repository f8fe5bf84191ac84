// Constants without zod: loading zod takes longer than many commands run.
import type { CommandState } from './command.ts'
import type { Origin } from './event.ts'

/** The five channels, the most reliable first. */
export const channels = ['transcripts', 'acp', 'headless', 'hooks', 'terminal'] as const

/** The kinds of media. */
export const mediaKinds = ['image', 'audio', 'video', 'document'] as const

/** The statuses of a session that agents report. */
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

/** The kinds of asks. */
export const askKinds = ['permission', 'question', 'plan', 'trust', 'dialog'] as const

/** What a prompt is: text for the model, or a shell command or slash command of the agent's own interface. */
export const promptKinds = ['text', 'shell', 'slash'] as const

/** The sources of an answer. */
export const answerSources = ['person', 'terminal', 'policy', 'timeout', 'cancel'] as const

/** The roles of people. Each role includes the rights of the one before it. */
export const personRoles = ['viewer', 'member', 'owner'] as const

/** Why a tool call failed, in the order in which people can do something about it. */
export const failureClasses = [
  'unknown-tool',
  'wrong-argument',
  'wrong-path',
  'missing-command',
  'missing-env',
  'permission-denied',
  'timeout',
  'network',
  'test-failure',
  'edit-mismatch',
  'other',
] as const
/** Why a tool call failed. */
export type FailureClass = (typeof failureClasses)[number]

/** The states of a command, in order. */
export const commandStates = ['queued', 'sent', 'done', 'withdrawn', 'refused'] as const

const next: Record<CommandState, readonly CommandState[]> = {
  queued: ['sent', 'withdrawn', 'refused'],
  // Back to queued if the agent cannot accept it yet, such as while the user types in its terminal.
  sent: ['done', 'refused', 'queued'],
  done: [],
  withdrawn: [],
  refused: [],
}

/** Whether a command may change from one state to another. @example canMove('queued', 'sent') // true */
export function canMove(from: CommandState, to: CommandState): boolean {
  return next[from].includes(to)
}

/** One string for an origin, for indexes. @example originId(event.origin) */
export function originId(origin: Origin): string {
  return JSON.stringify([origin.channel, origin.source, origin.key, origin.digest ?? ''])
}
