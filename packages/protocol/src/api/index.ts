// Requests and responses of the server's HTTP API, for the server and its clients.
export { AgentInfo, AgentProblem } from './agent.ts'
export { Changes, FileChange, Worktree, since } from './changes.ts'
export { CommandHint, ContextUse, FileHint, SessionPlace } from './completion.ts'
export { Demo } from './demo.ts'
export { Device, Me, Person } from './device.ts'
export { FileView, UploadInfo } from './files.ts'
export {
  Counted,
  InsightsSummary,
  NamedRate,
  PathDetail,
  PathExample,
  PathFix,
  PathInfo,
  PathRecovery,
  Spending,
  TrendDay,
  UsageReport,
} from './insights.ts'
export { NodeInfo } from './node.ts'
export { Notice, Preferences } from './notice.ts'
export {
  Fine,
  Finding,
  Group,
  Instruction,
  Opinion,
  Review,
  ReviewMark,
  ReviewRequest,
  Reviewer,
  ReviewerState,
  SendBack,
  Severity,
  What,
  severities,
  verdicts,
} from './review.ts'
export { SearchHit, SessionInfo, UsageEntry } from './session.ts'
