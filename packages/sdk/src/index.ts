export { defineAgent, modes } from './contract/agent.ts'
export type {
  AcpPart,
  Agent,
  Capabilities,
  CommandsPart,
  Detection,
  Features,
  Guard,
  HeadlessPart,
  HeadlessRequest,
  HooksPart,
  Invocation,
  LostSession,
  Mode,
  Model,
  DatabasePart,
  DatabaseRows,
  Place,
  Problem,
  ProtectOptions,
  ProtectedResume,
  Restoration,
  SlashCommand,
  ResumeWay,
  TerminalPart,
  Tool,
  ToolKind,
  ToolTable,
  TranscriptFormat,
  TranscriptReader,
  TranscriptsPart,
} from './contract/agent.ts'
export { capabilities } from './contract/agent.ts'
export { defineTools } from './contract/tools.ts'
export { detect } from './detect/detect.ts'
export type { DetectPlace, Detected, DetectionSource } from './detect/detect.ts'
export { findWrapper } from './detect/find-wrapper.ts'
export type { FoundWrapper } from './detect/find-wrapper.ts'
export { gemini } from './agents/gemini/index.ts'
export { claude } from './agents/claude/index.ts'
export { codex } from './agents/codex/index.ts'
export { opencode } from './agents/opencode/index.ts'
export { kiro } from './agents/kiro/index.ts'
export { spawnTree } from './process/spawn-tree.ts'
export type { Exit, SpawnOptions, Tree } from './process/spawn-tree.ts'
export { killTree } from './process/kill-tree.ts'
export type { KillOptions, KillResult } from './process/kill-tree.ts'
export { lines } from './process/lines.ts'
export { atLeast, compareVersions, findVersion } from './versions/version.ts'
export { run } from './api/run.ts'
export * from './acp.ts'
export * from './transcripts.ts'
export { getCost, pricesAsOf } from './prices.ts'
export type { RunOptions } from './channels/headless/options.ts'
export { classifyError } from './events/classify-error.ts'
export type { Classified, Failure } from './events/classify-error.ts'
