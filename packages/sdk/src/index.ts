export { defineAgent, modes } from './contract/agent.ts'
export type {
  AcpPart,
  Agent,
  Brand,
  Capabilities,
  CommandsPart,
  Detection,
  Features,
  Guard,
  HeadlessPart,
  HeadlessRequest,
  HooksPart,
  Icon,
  Invocation,
  LostSession,
  Mode,
  Model,
  DatabasePart,
  DatabaseRows,
  HomeRecipe,
  PavePart,
  Place,
  Problem,
  Profile,
  ProtectOptions,
  ProtectedResume,
  Restoration,
  SettingEdit,
  SettingsPart,
  SlashCommand,
  RecipePlace,
  ResumeWay,
  TerminalPart,
  TestedRanges,
  AcpFacts,
  AcpSkill,
  HeadlessFacts,
  HookFacts,
  LiveFacts,
  ScreenMarkers,
  SuiteFacts,
  TestkitPart,
  TranscriptFacts,
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
export * from './agents/built-in.ts'
export { spawnTree } from './process/spawn-tree.ts'
export type { Exit, SpawnOptions, Tree } from './process/spawn-tree.ts'
export { runVariable } from './process/process-table.ts'
export { killTree } from './process/kill-tree.ts'
export type { KillOptions, KillResult } from './process/kill-tree.ts'
export { lines } from './process/lines.ts'
export { atLeast, compareVersions, findVersion } from './versions/version.ts'
export { run } from './api/run.ts'
export * from './acp.ts'
export * from './transcripts.ts'
export { getSupport } from './support/get-support.ts'
export { getChannelVerdict, probeChecks } from './support/probe-report.ts'
export type { ProbeCheck, ProbeReport, ProbeVerdict } from './support/probe-report.ts'
export { readProbe, saveProbe } from './support/probe-store.ts'
export { withoutGuesses } from './support/without-guesses.ts'
export { getCost, pricesAsOf } from './prices.ts'
export type { RunOptions } from './channels/headless/options.ts'
export { classifyError } from './events/classify-error.ts'
export type { Classified, Failure } from './events/classify-error.ts'
