import type { AcpPart } from '../../agent.ts'
import { toClaude } from './tools.ts'

// Codex speaks no ACP; this wrapper has Codex built in.
export const acp: AcpPart = {
  invocation: () => ({ args: [], command: 'codex-acp', package: '@zed-industries/codex-acp' }),
  modes: { default: 'auto', plan: 'read-only', bypassPermissions: 'full-access' },
  toClaude,
  quirks: () => ({
    endBySignal: true,
    remarks: /^Model metadata for `[^`]*` not found\. Defaulting to fallback metadata/,
  }),
}
