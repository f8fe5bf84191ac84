export { importTranscripts } from './import.ts'
export type { ImportOptions, ImportProgress, ImportReport } from './import.ts'
export { follow } from './follow.ts'
export type { FollowOptions } from './follow.ts'
