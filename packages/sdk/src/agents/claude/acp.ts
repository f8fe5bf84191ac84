import type { AcpPart, AcpWrapper } from '../../contract/agent.ts'
import { readNameInMeta } from '../../events/acp-calls.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { driveOwnCli } from '../../dialects/driven-agent.ts'
import { getPlanSettings } from './arguments.ts'
import { findPlanObstacle } from './hook-obstacles.ts'
import { toClaude } from './tools.ts'

// Claude Code has no ACP mode; a wrapper adds it. The wrapper uses its bundled Claude unless this variable names another.
const { drives, env } = driveOwnCli({
  variable: 'CLAUDE_CODE_EXECUTABLE',
  bundled: { package: '@anthropic-ai/claude-agent-sdk', field: 'claudeCodeVersion' },
})

const maintained: AcpWrapper = {
  variable: 'CLAUDE_ACP_PATH',
  command: 'claude-agent-acp',
  package: '@agentclientprotocol/claude-agent-acp',
  install: 'npm install -g @agentclientprotocol/claude-agent-acp',
  minimumNode: '22.0.0',
  drives,
  part: {
    sessionMeta: (mode) => ({
      claudeCode: {
        options: {
          settings: getPlanSettings(mode),
          // The wrapper reads only the user's settings files, so it would offer bypassPermissions despite `settings`.
          allowDangerouslySkipPermissions: mode === 'bypassPermissions',
        },
      },
    }),
    quirks: (version) => ({ env: env(version) }),
  },
}

const earlier: AcpWrapper = {
  variable: 'CLAUDE_ACP_PATH',
  command: 'claude-code-acp',
  package: '@zed-industries/claude-code-acp',
  install: 'npm install -g @zed-industries/claude-code-acp',
  drives,
  part: {
    sessionMeta: (mode) => ({
      claudeCode: { options: { extraArgs: { settings: JSON.stringify(getPlanSettings(mode)) } } },
    }),
    quirks: (version) => ({
      endBySignal: true,
      // This wrapper does not understand how newer versions of Claude Code end a turn in which the user denied a call.
      refusal: /\[ede_diagnostic\] result_type=user .*stop_reason=tool_use/,
      env: env(version),
    }),
  },
}

export const acp: AcpPart = {
  wrappers: [maintained, earlier],
  invocation: () => ({ args: [] }),
  planObstacle: findPlanObstacle,
  unsafePlanAfter: (mode) => mode === 'bypassPermissions',
  // Claude checks the first character of the last text.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  toClaude,
  nativeName: readNameInMeta('claudeCode'),
  hostTool,
}

/** The wrapper sends the tool's name with the call; the title may be written by the model. */
function hostTool(server: string, _: AgentRecord, update: AgentRecord): string | undefined {
  const name = asString(asRecord(asRecord(update['_meta'])?.['claudeCode'])?.['toolName'])
  const prefix = `mcp__${server}__`
  return name?.startsWith(prefix) ? name.slice(prefix.length) : undefined
}
