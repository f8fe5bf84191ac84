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
  UnaskedCallInfo,
  UnaskedCalls,
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
export { SessionParams } from './route.ts'
export type { Access, DeepReadonly, RouteContract } from './route.ts'
export { api } from './routes/index.ts'
export type { Api } from './routes/index.ts'
export { auditApi, devicesApi, peopleApi } from './routes/devices.ts'
export { filesApi } from './routes/files.ts'
export { InsightsFilter, insightsApi } from './routes/insights.ts'
export { AdoptableAgent, asksApi, commandsApi, hooksApi, liveApi } from './routes/live.ts'
export { PushSubscription, pushApi } from './routes/push.ts'
export { reviewsApi } from './routes/reviews.ts'
export { demoApi, serverApi } from './routes/server.ts'
export { changesApi, completionApi, sessionsApi } from './routes/sessions.ts'
