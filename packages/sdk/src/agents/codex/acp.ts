import type { AcpPart, AcpWrapper } from '../../agent.ts'
import { fieldsOf, stringOf } from '../../fields.ts'
import { leadingSlash, wordJoiner } from '../../prompt-escapes.ts'
import type { AgentRecord } from '../../read-record.ts'
import { toClaude } from './tools.ts'

// Codex speaks no ACP; this wrapper has Codex built in.
const wrapper: AcpWrapper = {
  variable: 'CODEX_ACP_PATH',
  command: 'codex-acp',
  package: '@zed-industries/codex-acp',
  install: 'npm install -g @zed-industries/codex-acp',
  drives: async ({ version }) => ({ own: false, version: builtIn[version ?? ''] }),
}

/** The wrapper does not tell which Codex it has; the sessions that it writes do. */
const builtIn: Readonly<Record<string, string>> = { '0.16.0': '0.137.0' }

export const acp: AcpPart = {
  wrapper,
  // Its configuration can be set by arguments, as that of Codex can; modes are presets of the protocol alone.
  invocation: (_, { model } = {}) => ({
    args: model === undefined ? [] : ['-c', `model=${JSON.stringify(model)}`],
    command: wrapper.command,
    package: wrapper.package,
  }),
  // In `workspace-write`, which is `auto` in the older wrapper, it edits files of the workspace unasked and asks about the
  // rest. In `agent`, which the newer one starts in, a model decides.
  modes: {
    default: ['workspace-write', 'auto'],
    acceptEdits: ['workspace-write', 'auto'],
    plan: 'read-only',
    auto: 'agent',
    bypassPermissions: ['agent-full-access', 'full-access'],
  },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  toClaude,
  hostTool,
  quirks: () => ({
    endBySignal: true,
    leavesCommands: true,
    // A session that was closed a moment ago is still being written.
    lingering: /already has a live local writer/,
    // At every turn, for models that are not its own.
    remarks: /^(?:Warning: )?Model metadata for `[^`]*` not found\. Defaulting to fallback metadata/,
  }),
}

/** The wrapper writes all of it but the input: the server, and the tool in its question. */
function hostTool(server: string, request: AgentRecord): string | undefined {
  const input = fieldsOf(fieldsOf(request['toolCall'])?.['rawInput'])
  const asked = fieldsOf(input?.['request'])
  const isCall = fieldsOf(asked?.['_meta'])?.['codex_approval_kind'] === 'mcp_tool_call'
  if (!isCall || input?.['server_name'] !== server) return undefined
  return /^Allow the \S+ MCP server to run tool "([\w-]+)"\?$/.exec(stringOf(asked?.['message']) ?? '')?.[1]
}
