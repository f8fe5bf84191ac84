// The fold by itself, without zod.
export { callEntity, isCallEntity } from './fold/call.ts'
export { fold, totalUsage } from './fold/index.ts'
export { type MessageChange, SessionFold } from './fold/session-fold.ts'
export { isInterruption } from './fold/is-interruption.ts'
export { sessionState } from './fold/session-state.ts'
export type { SessionState } from './fold/session-state.ts'
