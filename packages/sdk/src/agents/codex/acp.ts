import type { AcpPart, AcpWrapper } from '../../contract/agent.ts'
import { readServerCall } from '../../events/acp-calls.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { driveOwnCli } from '../../dialects/driven-agent.ts'
import { earlierWrapperModes, wrapperModes } from './modes.ts'
import { findPlanObstacle } from './plan-obstacle.ts'
import { toClaude } from './tools.ts'

// Codex prints this at every turn for models that it does not know.
const remarks = /^(?:Warning: )?Model metadata for `[^`]*` not found\. Defaulting to fallback metadata/

// How Codex 0.166.0 and 0.169.0 word the errors of a turn.
const failureText =
  /^(?:exceeded retry limit, last status: |unexpected status \d{3} |stream disconnected before completion: |Codex ran out of room in the model's context window|Quota exceeded\. |Selected model is at capacity|Connection failed: |We’re currently experiencing high demand)/

// The wrapper starts the app server of Codex, whose protocol changes with the version.
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
    modes: wrapperModes,
    hostTool: getHostTool,
    quirks: (version) => ({
      remarks,
      failureText,
      leavesCommands: true,
      // By default the wrapper starts in `agent`, where a model decides about approvals.
      env: (place, own) => ({
        INITIAL_AGENT_MODE: place.env['INITIAL_AGENT_MODE'] || 'read-only',
        ...env(version)(place, own),
      }),
    }),
  },
}

/** The wrapper marks both the call and the request; the model writes only the arguments. */
function getHostTool(server: string, request: AgentRecord, update: AgentRecord): string | undefined {
  const isAsked = asRecord(request['_meta'])?.['is_mcp_tool_approval'] === true
  const isCall = asRecord(update['_meta'])?.['is_mcp_tool_call'] === true
  const input = asRecord(update['rawInput'])
  return isAsked && isCall && input?.['server'] === server ? asString(input['tool']) : undefined
}

/** The Codex version built into each wrapper version, found in the sessions that it writes. */
const builtIn: Readonly<Record<string, string>> = { '0.16.0': '0.137.0' }

const earlier: AcpWrapper = {
  variable: 'CODEX_ACP_PATH',
  command: 'codex-acp',
  package: '@zed-industries/codex-acp',
  install: 'npm install -g @zed-industries/codex-acp',
  drives: async ({ version }) => ({ own: false, version: builtIn[version ?? ''] }),
  part: {
    // The wrapper takes configuration as arguments like Codex; modes exist only as presets of the protocol.
    invocation: (_, { model } = {}) => ({
      args: model === undefined ? [] : ['-c', `model=${JSON.stringify(model)}`],
    }),
    quirks: () => ({
      endBySignal: true,
      leavesCommands: true,
      // A session that was just closed may still be written.
      lingering: /already has a live local writer/,
      remarks,
    }),
  },
}

export const acp: AcpPart = {
  wrappers: [maintained, earlier],
  invocation: () => ({ args: [] }),
  modes: earlierWrapperModes,
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  planObstacle: findPlanObstacle,
  toClaude,
  nativeName: readServerCall,
  hostTool,
}

/** The wrapper writes the server and the question that names the tool; the model writes only the input. */
function hostTool(server: string, request: AgentRecord): string | undefined {
  const input = asRecord(asRecord(request['toolCall'])?.['rawInput'])
  const asked = asRecord(input?.['request'])
  const isCall = asRecord(asked?.['_meta'])?.['codex_approval_kind'] === 'mcp_tool_call'
  if (!isCall || input?.['server_name'] !== server) return undefined
  return /^Allow the \S+ MCP server to run tool "([\w-]+)"\?$/.exec(asString(asked?.['message']) ?? '')?.[1]
}
