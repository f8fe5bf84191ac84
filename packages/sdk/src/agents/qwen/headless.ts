import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { refusePlan } from '../../contract/modes.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { createStreamReader } from '../../dialects/claude-stream.ts'
import { removeLeftovers, writeRunFiles } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { env, toSharedArguments } from './arguments.ts'
import { dialect, title } from './dialect.ts'
import { findPlanObstacle, planArguments } from './plan-guard.ts'
import { toName } from './start-mode.ts'

/** One prompt, answered as stream-json of Claude's kind. */
export const headless: HeadlessPart = {
  keyVariable: 'OPENAI_API_KEY',
  reader: createStreamReader({
    ...dialect,
    versionField: 'qwen_code_version',
    toMode: (init) => toName(init['permission_mode']),
    stateEvents: new Set(['goal_state']),
    failureText: /^\[API Error: (.*?)\](?:\n.*)?$/s,
  }),
  // The CLI checks the first character before it trims the prompt.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  invocation(request, version) {
    refuse(request)
    const args = ['--output-format', 'stream-json', '--include-partial-messages']
    args.push(...toSharedArguments(request, version))
    if (request.mode === 'plan') args.push(...planArguments)
    if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
    if (request.fork) args.push('--fork-session')
    args.push(...(request.allow ?? []).map((rule) => `--allowed-tools=${rule}`))
    return { args: [...args, ...(request.extraArgs ?? [])], env, stdin: request.prompt }
  },
  async prepare(request, place) {
    refuse(request)
    if (request.mode === 'plan') refusePlan(await findPlanObstacle(place))
    await removeLeftovers()
    const { mcpServers, systemPrompt } = request
    const args = systemPrompt === undefined ? [] : ['--system-prompt', systemPrompt]
    if (!mcpServers) return { request, args, finish: async () => [] }
    // A file that only the user can read, since every user of the machine can see arguments.
    const servers = Object.entries(mcpServers).map(([name, server]) => [
      name,
      'url' in server ? { httpUrl: server.url, headers: server.headers } : server,
    ])
    const files = await writeRunFiles({
      'mcp.json': JSON.stringify({ mcpServers: Object.fromEntries(servers) as object }),
    })
    return {
      request,
      args: [...args, '--mcp-config', files.path('mcp.json')],
      async finish() {
        await files.remove()
        return []
      },
    }
  },
}

function refuse({ effort, media = [], allow = [], mode }: HeadlessRequest): void {
  if (effort !== undefined)
    throw createUnsupportedError(title, 'the option effort', 'Choose another model instead.')
  const [file] = media
  if (file)
    throw createUnsupportedError(
      title,
      `the option media with ${file.mediaType}`,
      'Name the path in the prompt, and it can read the file with its tools.',
    )
  if (allow.length > 0 && mode === 'plan')
    throw createUnsupportedError(
      title,
      'the option allow in mode plan',
      'What is allowed would run in plan mode too, so that the mode would not be read-only.',
    )
}
