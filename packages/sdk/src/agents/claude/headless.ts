import type { HeadlessPart, HeadlessRequest, McpServer } from '../../contract/agent.ts'
import { refusePlan } from '../../contract/modes.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { removeLeftovers, writeRunFiles } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/unsupported.ts'
import { getPlanSettings, sharedArguments } from './arguments.ts'
import { findPlanObstacle } from './hook-obstacles.ts'
import { promptInput } from './prompt.ts'
import { streamReader } from './stream.ts'

/**
 * One prompt, answered as stream-json. `skipTrust` needs nothing: `-p` shows no trust dialog. As root the CLI
 * refuses bypassPermissions unless IS_SANDBOX=1 says that it is contained; that is for the caller to say.
 */
export const headless: HeadlessPart = {
  keyVariable: 'ANTHROPIC_API_KEY',
  reader: streamReader,
  // It looks at the first character, and trims later.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  invocation(request, version) {
    const input = promptInput(request)
    // stream-json is refused without --verbose. Partial messages bring the text as it is written, and the true
    // number of tokens of each message.
    const args = [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      ...input.args,
    ]
    args.push(...sharedArguments(request, version))
    if (request.mode === 'plan') args.push('--settings', JSON.stringify(getPlanSettings(request.mode)))
    if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
    if (request.fork) args.push('--fork-session')
    if (request.effort !== undefined) args.push('--effort', request.effort)
    args.push(...allowed(request))
    return { args: [...args, ...(request.extraArgs ?? [])], stdin: input.stdin }
  },
  async prepare(request, place) {
    if (request.mode === 'plan') refusePlan(await findPlanObstacle(place))
    await removeLeftovers()
    const { mcpServers, systemPrompt } = request
    if (!mcpServers && systemPrompt === undefined) return { request, finish: async () => [] }
    // As files that only the user can read: arguments are seen by everybody on the machine.
    const files = await writeRunFiles({
      ...(mcpServers ? { 'mcp.json': JSON.stringify({ mcpServers: mcpConfig(mcpServers) }) } : {}),
      ...(systemPrompt === undefined ? {} : { 'system-prompt.md': systemPrompt }),
    })
    return {
      request,
      args: [
        ...(systemPrompt === undefined ? [] : ['--system-prompt-file', files.path('system-prompt.md')]),
        // Not with --strict-mcp-config: the user's own servers stay.
        ...(mcpServers ? ['--mcp-config', files.path('mcp.json')] : []),
      ],
      async finish() {
        await files.remove()
        return []
      },
    }
  },
}

function allowed({ allow = [], mode }: HeadlessRequest): string[] {
  if (allow.length > 0 && mode === 'plan') {
    throw createUnsupportedError(
      'Claude Code',
      'the option allow in mode plan',
      'It runs what is allowed in plan mode too, so that the mode would not be read-only.',
    )
  }
  // With `=`, since the option would take the arguments behind it as rules as well.
  return allow.map((rule) => `--allowedTools=${rule}`)
}

function mcpConfig(servers: Readonly<Record<string, McpServer>>): object {
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server },
  ])
  return Object.fromEntries(entries) as object
}
