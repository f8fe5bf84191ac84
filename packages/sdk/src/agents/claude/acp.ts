import type { AcpPart, AcpWrapper, Place } from '../../agent.ts'
import { fieldsOf, stringOf } from '../../fields.ts'
import { leadingSlash } from '../../prompt-escapes.ts'
import type { AgentRecord } from '../../read-record.ts'
import { getPlanSettings } from './arguments.ts'
import { builtInClaude } from './acp-wrapper.ts'
import { toClaude } from './tools.ts'

// Claude Code speaks no ACP; a wrapper does. It brings a Claude of its own unless this variable names another.
const executable = 'CLAUDE_CODE_EXECUTABLE'

const wrapper: AcpWrapper = {
  variable: 'CLAUDE_ACP_PATH',
  command: 'claude-code-acp',
  package: '@zed-industries/claude-code-acp',
  install: 'npm install -g @zed-industries/claude-code-acp',
  async drives(found, own, env) {
    const chosen = env[executable]
    if (chosen && chosen !== own?.path) return { own: true }
    return own
      ? { own: true, version: own.version }
      : { own: false, version: await builtInClaude(found.path) }
  },
}

export const acp: AcpPart = {
  wrapper,
  invocation: () => ({ args: [], command: wrapper.command, package: wrapper.package }),
  modes: {
    default: 'default',
    acceptEdits: 'acceptEdits',
    plan: 'plan',
    auto: 'auto',
    // As root it does not offer this one, unless IS_SANDBOX=1.
    bypassPermissions: 'bypassPermissions',
  },
  sessionMeta: (mode) => ({
    claudeCode: { options: { extraArgs: { settings: JSON.stringify(getPlanSettings(mode)) } } },
  }),
  unsafePlanAfter: (mode) => mode === 'bypassPermissions',
  // It looks at the first character of the last text.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  toClaude,
  hostTool,
  quirks: () => ({
    endBySignal: true,
    // The wrapper does not understand how newer versions of Claude Code end a turn in which a person said no.
    refusal: /\[ede_diagnostic\] result_type=user .*stop_reason=tool_use/,
    env: environment,
  }),
}

/** A person who named an executable means that one. */
function environment({ env }: Place, own: string | undefined): Record<string, string> {
  const chosen = env[executable] || own
  return chosen === undefined ? {} : { [executable]: chosen }
}

/** The wrapper tells the tool's own name with the call; titles may be the model's words. */
function hostTool(server: string, _: AgentRecord, told: AgentRecord): string | undefined {
  const name = stringOf(fieldsOf(fieldsOf(told['_meta'])?.['claudeCode'])?.['toolName'])
  const prefix = `mcp__${server}__`
  return name?.startsWith(prefix) ? name.slice(prefix.length) : undefined
}
