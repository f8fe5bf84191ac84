import { RemoraError } from '@remora/protocol/plain'
import type { HeadlessRequest, McpServer, Place, PlanGuard } from '../../contract/agent.ts'
import { listTools } from '../../contract/tools.ts'
import { tools } from './tools.ts'

type Settings = Record<string, unknown>

// The agent `plan` only asks before edits, and the user's rules take precedence over its own. Allowed tools are listed,
// so that unknown tools are excluded.
const readOnly = {
  '*': 'deny',
  ...Object.fromEntries(
    // A headless run cannot answer questions.
    listTools(tools, ({ readOnly, claude }) => readOnly && claude !== 'AskUserQuestion').map((tool) => [
      tool,
      'allow',
    ]),
  ),
}

/** The same if a user can be asked about commands and about leaving the mode. */
const readOnlyOrAsk = {
  ...readOnly,
  ...Object.fromEntries(
    listTools(tools, ({ kind }) => kind === 'execute' || kind === 'switch_mode').map((tool) => [tool, 'ask']),
  ),
}

/** Merges the rules of the agent `plan` over the user's. The rules of other agents stay unchanged. */
export async function guardPlan({ env }: Place): Promise<PlanGuard> {
  const config = { agent: { plan: { permission: readOnlyOrAsk } } }
  return { env: variable('OPENCODE_CONFIG_CONTENT', config, env) }
}

/**
 * The configuration of one run. It is passed in variables, which are merged over the user's files and over the user's
 * own values of these variables, so no file changes.
 *
 * @example runVariables({ prompt: '', mode: 'plan' }, {}).OPENCODE_CONFIG_CONTENT
 */
export function runVariables(request: HeadlessRequest, env: Place['env']): Record<string, string> {
  const { mcpServers, systemPrompt, mode, allow = [] } = request
  const agent = mode === 'plan' ? 'plan' : 'build'
  const config: Settings = {
    ...(mcpServers ? { mcp: mcpConfig(mcpServers) } : {}),
    ...(mode === 'plan' || systemPrompt !== undefined
      ? {
          agent: {
            [agent]: {
              ...(mode === 'plan' ? { permission: readOnly } : {}),
              ...(systemPrompt === undefined ? {} : { prompt: systemPrompt }),
            },
          },
        }
      : {}),
  }
  const permission: Settings = {
    ...(mode === 'acceptEdits' ? { edit: 'allow' } : {}),
    ...Object.fromEntries(allow.map((name) => [name, 'allow'])),
  }
  return {
    ...variable('OPENCODE_CONFIG_CONTENT', config, env),
    ...variable('OPENCODE_PERMISSION', permission, env),
  }
}

function variable(name: string, settings: Settings, env: Place['env']): Record<string, string> {
  if (Object.keys(settings).length === 0) return {}
  const own = env[name]
  const text = JSON.stringify(own ? merge(parse(name, own), settings) : settings)
  // The CLI substitutes files and variables in the text before it parses it.
  return { [name]: own ? text : text.replaceAll(/\{(env|file):/g, String.raw`\u007b$1:`) }
}

function parse(name: string, text: string): Settings {
  try {
    const value: unknown = JSON.parse(text)
    if (isSettings(value)) return value
  } catch {
    // Reported below.
  }
  throw new RemoraError('input', `${name} holds no JSON object`, { hint: `Correct ${name}, or unset it.` })
}

function merge(under: Settings, over: Settings): Settings {
  const merged = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key]
    merged[key] = isSettings(below) && isSettings(value) ? merge(below, value) : value
  }
  return merged
}

function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mcpConfig(servers: Readonly<Record<string, McpServer>>): Settings {
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    'url' in server
      ? { type: 'remote', enabled: true, ...server }
      : {
          type: 'local',
          enabled: true,
          command: [server.command, ...(server.args ?? [])],
          ...(server.env ? { environment: server.env } : {}),
        },
  ])
  return Object.fromEntries(entries) as Settings
}
