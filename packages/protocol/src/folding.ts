// The fold by itself, without zod.
export { callEntity, isCallEntity } from './fold/call.ts'
export { fold, totalUsage } from './fold/index.ts'
