import type { AcpPart, AcpWrapper } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { driveOwnCli } from '../../dialects/driven-agent.ts'
import { findPlanObstacle } from './plan-obstacle.ts'
import { toClaude } from './tools.ts'

// At every turn, for models that are not its own.
const remarks = /^(?:Warning: )?Model metadata for `[^`]*` not found\. Defaulting to fallback metadata/

// How Codex 0.166.0 and 0.169.0 word the errors of a turn.
const failureText =
  /^(?:exceeded retry limit, last status: |unexpected status \d{3} |stream disconnected before completion: |Codex ran out of room in the model's context window|Quota exceeded\. |Selected model is at capacity|Connection failed: |We’re currently experiencing high demand)/

// It starts the app server of a Codex, whose protocol changes with the version.
const { drives, env } = driveOwnCli({
  variable: 'CODEX_PATH',
  bundled: { package: '@openai/codex', field: 'version' },
  minimum: '0.166.0',
})

const maintained: AcpWrapper = {
  variable: 'CODEX_ACP_PATH',
  command: 'codex-acp',
  package: '@agentclientprotocol/codex-acp',
  install: 'npm install -g @agentclientprotocol/codex-acp',
  minimumNode: '22.0.0',
  drives,
  part: {
    invocation: (_, { model } = {}) => ({
      args: [],
      ...(model === undefined ? {} : { env: { CODEX_CONFIG: JSON.stringify({ model }) } }),
    }),
    // In `workspace-write` it edits files of the workspace without asking.
    modes: {
      default: 'read-only',
      acceptEdits: 'workspace-write',
      plan: 'read-only',
      auto: 'agent',
      bypassPermissions: 'agent-full-access',
    },
    hostTool: getHostTool,
    quirks: (version) => ({
      remarks,
      failureText,
      leavesCommands: true,
      // It would start in `agent`, in which a model decides.
      env: (place, own) => ({
        INITIAL_AGENT_MODE: place.env['INITIAL_AGENT_MODE'] || 'read-only',
        ...env(version)(place, own),
      }),
    }),
  },
}

/** The wrapper marks both the call and the question; the model writes the arguments only. */
function getHostTool(server: string, request: AgentRecord, told: AgentRecord): string | undefined {
  const isAsked = asRecord(request['_meta'])?.['is_mcp_tool_approval'] === true
  const isCall = asRecord(told['_meta'])?.['is_mcp_tool_call'] === true
  const input = asRecord(told['rawInput'])
  return isAsked && isCall && input?.['server'] === server ? asString(input['tool']) : undefined
}

/** The wrapper does not tell which Codex is built into it; the sessions that it writes do. */
const builtIn: Readonly<Record<string, string>> = { '0.16.0': '0.137.0' }

const earlier: AcpWrapper = {
  variable: 'CODEX_ACP_PATH',
  command: 'codex-acp',
  package: '@zed-industries/codex-acp',
  install: 'npm install -g @zed-industries/codex-acp',
  drives: async ({ version }) => ({ own: false, version: builtIn[version ?? ''] }),
  part: {
    // Its configuration can be set by arguments, as that of Codex can; modes are presets of the protocol alone.
    invocation: (_, { model } = {}) => ({
      args: model === undefined ? [] : ['-c', `model=${JSON.stringify(model)}`],
    }),
    quirks: () => ({
      endBySignal: true,
      leavesCommands: true,
      // A session that was closed a moment ago is still being written.
      lingering: /already has a live local writer/,
      remarks,
    }),
  },
}

export const acp: AcpPart = {
  wrappers: [maintained, earlier],
  invocation: () => ({ args: [] }),
  // In `auto` the older wrapper edits files of the workspace without asking, and asks about the rest.
  modes: { default: 'auto', acceptEdits: 'auto', plan: 'read-only', bypassPermissions: 'full-access' },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  planObstacle: findPlanObstacle,
  toClaude,
  hostTool,
}

/** The wrapper writes all of it but the input: the server, and the tool in its question. */
function hostTool(server: string, request: AgentRecord): string | undefined {
  const input = asRecord(asRecord(request['toolCall'])?.['rawInput'])
  const asked = asRecord(input?.['request'])
  const isCall = asRecord(asked?.['_meta'])?.['codex_approval_kind'] === 'mcp_tool_call'
  if (!isCall || input?.['server_name'] !== server) return undefined
  return /^Allow the \S+ MCP server to run tool "([\w-]+)"\?$/.exec(asString(asked?.['message']) ?? '')?.[1]
}
