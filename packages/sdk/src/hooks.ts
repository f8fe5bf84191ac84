// Installs hooks and reads their payloads, without the code that runs agents.
export { installHooks } from './channels/hooks/install-hooks.ts'
export type { InstallOptions, Installed, InstalledFile } from './channels/hooks/install-hooks.ts'
export { uninstallHooks } from './channels/hooks/uninstall-hooks.ts'
export type {
  UninstallOptions,
  UninstallResult,
  Uninstalled,
  UninstalledFile,
} from './channels/hooks/uninstall-hooks.ts'
export { hookStatus } from './channels/hooks/hook-status.ts'
export type { HookFileStatus, HookState, HookStatus, StatusOptions } from './channels/hooks/hook-status.ts'
export { hookFolders } from './channels/hooks/install-files.ts'
export type { HookFolders } from './channels/hooks/install-files.ts'
export { createHookScript } from './channels/hooks/hook-script.ts'
export { scanSpool, createSpool, writeToSpool, refusedPayloads, spoolFolder } from './channels/hooks/spool.ts'
export type { SpoolEntry, SpoolBatch } from './channels/hooks/spool.ts'
export { PayloadReader } from './channels/hooks/read-payload.ts'
export { isToolPayload, readInvocation } from './channels/hooks/invocation.ts'
export type { ToolInvocation } from './channels/hooks/invocation.ts'
export { findAgentBySource, sourceNames } from './agents/registry.ts'
export { watchFolders } from './channels/transcripts/watch-folders.ts'
export { editOrDelete, editSettings, readText, refuseReadOnly } from './files/settings-file.ts'
export { applyGuard, undoGuard } from './channels/transcripts/guard-record.ts'
export type { GuardRecord, GuardUndone } from './channels/transcripts/guard-record.ts'
export { agents, findAgent, registerAgent } from './agents/registry.ts'
export { getMemoryFile, getShortName } from './contract/profile.ts'
export { listPaveNames, listTools } from './contract/tools.ts'
export type * from './contract/agent.ts'
