export { startServer } from './start-server.ts'
export type { RunningServer, ServerOptions } from './start-server.ts'
export { createLineLog } from './core/log.ts'
export type { Log } from './core/log.ts'
export type { Context } from './core/context.ts'
export type { DemoSource, DemoProgress } from './demo/demos.ts'
export {
  isWildcard,
  isLoopback,
  isReachable,
  findLanAddress,
  findTailscaleAddress,
} from './security/addresses.ts'
export { listWorktrees } from './git/worktrees.ts'
export type { WorktreeEntry } from './git/worktrees.ts'
export { loadCertificates } from './security/cert-files.ts'
