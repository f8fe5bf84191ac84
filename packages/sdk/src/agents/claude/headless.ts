import { readFileSync } from 'node:fs'
import type { HeadlessPart, HeadlessRequest, McpServer, MediaFile } from '../../contract/agent.ts'
import { refusePlan } from '../../contract/modes.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { removeLeftovers, writeRunFiles } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { getPlanSettings, toSharedArguments } from './arguments.ts'
import { findPlanObstacle } from './hook-obstacles.ts'
import { createStreamReader } from '../../dialects/claude-stream.ts'
import { asString } from '../../events/fields.ts'
import { dialect } from './dialect.ts'
import { toName } from './modes.ts'

/**
 * One prompt, answered as stream-json. `skipTrust` needs no argument: `-p` shows no trust dialog. As root the CLI
 * refuses bypassPermissions unless the caller sets IS_SANDBOX=1.
 */
export const headless: HeadlessPart = {
  keyVariable: 'ANTHROPIC_API_KEY',
  reader: createStreamReader({
    ...dialect,
    versionField: 'claude_code_version',
    toMode: ({ permissionMode }) => toName(asString(permissionMode)),
  }),
  // Claude checks the first character before it trims the prompt.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  invocation(request, version) {
    const input = toPromptInput(request)
    // stream-json is refused without --verbose. Partial messages bring the text as it is written, and the final
    // token counts of each message.
    const args = [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      ...input.args,
    ]
    args.push(...toSharedArguments(request, version))
    if (request.mode === 'plan') args.push('--settings', JSON.stringify(getPlanSettings(request.mode)))
    if (request.sessionId !== undefined) args.push('--session-id', request.sessionId)
    if (request.fork) args.push('--fork-session')
    if (request.effort !== undefined) args.push('--effort', request.effort)
    args.push(...getAllowArguments(request))
    return { args: [...args, ...(request.extraArgs ?? [])], stdin: input.stdin }
  },
  async prepare(request, place) {
    if (request.mode === 'plan') refusePlan(await findPlanObstacle(place))
    await removeLeftovers()
    const { mcpServers, systemPrompt } = request
    if (!mcpServers && systemPrompt === undefined) return { request, finish: async () => [] }
    // Written to files that only the user can read, since every user of the machine can see arguments.
    const files = await writeRunFiles({
      ...(mcpServers ? { 'mcp.json': JSON.stringify({ mcpServers: toMcpConfig(mcpServers) }) } : {}),
      ...(systemPrompt === undefined ? {} : { 'system-prompt.md': systemPrompt }),
    })
    return {
      request,
      args: [
        ...(systemPrompt === undefined ? [] : ['--system-prompt-file', files.path('system-prompt.md')]),
        // Without --strict-mcp-config, so that the user's own servers stay available.
        ...(mcpServers ? ['--mcp-config', files.path('mcp.json')] : []),
      ],
      async finish() {
        await files.remove()
        return []
      },
    }
  },
}

function getAllowArguments({ allow = [], mode }: HeadlessRequest): string[] {
  if (allow.length > 0 && mode === 'plan') {
    throw createUnsupportedError(
      'Claude Code',
      'the option allow in mode plan',
      'It runs what is allowed in plan mode too, so that the mode would not be read-only.',
    )
  }
  // With `=`, since the option would otherwise take the following arguments as rules too.
  return allow.map((rule) => `--allowedTools=${rule}`)
}

function toMcpConfig(servers: Readonly<Record<string, McpServer>>): object {
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server },
  ])
  return Object.fromEntries(entries) as object
}

/** The CLI's stdin and the arguments for its format: files can only be sent as JSON. */
function toPromptInput({ prompt, media = [] }: HeadlessRequest): { args: string[]; stdin: string } {
  if (media.length === 0) return { args: [], stdin: prompt }
  const text = prompt === '' ? [] : [{ type: 'text', text: prompt }]
  const content = [...text, ...media.map(toMediaBlock)]
  const message = {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    session_id: '',
  }
  return { args: ['--input-format', 'stream-json'], stdin: `${JSON.stringify(message)}\n` }
}

function toMediaBlock({ path, kind, mediaType }: MediaFile): object {
  const fits = kind === 'image' || (kind === 'document' && mediaType === 'application/pdf')
  if (!fits) {
    throw createUnsupportedError(
      'Claude Code',
      `the option media with ${mediaType}`,
      'It takes images and PDF. Name the path in the prompt, and it can look at the file with its tools.',
    )
  }
  const source = { type: 'base64', media_type: mediaType, data: readFileSync(path).toString('base64') }
  return { type: kind, source }
}
