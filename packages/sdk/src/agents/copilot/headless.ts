import { randomUUID } from 'node:crypto'
import { RemoraError } from '@remora/protocol/plain'
import type { HeadlessPart, HeadlessRequest, McpServer } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { listTools } from '../../contract/tools.ts'
import { removeLeftovers, writeRunFiles } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { findLatestSession } from './latest-session.ts'
import { modes } from './modes.ts'
import { profile } from './profile.ts'
import { streamReader } from './stream.ts'
import { tools } from './tools.ts'
import { readRunUsage } from './usage.ts'

const { title } = profile

/** The only tools of a headless run in plan mode, so that no rule and no MCP server adds one that writes. */
const planTools = `--available-tools=${listTools(tools, ({ readOnly }) => readOnly).join(',')}`

/** One prompt from standard input, answered as JSON lines. Prompts never run as commands. */
export const headless: HeadlessPart = {
  keyVariable: 'COPILOT_GITHUB_TOKEN',
  reader: streamReader,
  readUsage: readRunUsage,
  invocation(request, version) {
    refuse(request)
    const { mode, model, effort, sessionId, resume, media = [], allow = [], extraArgs = [] } = request
    const args = ['--output-format', 'json', '--no-ask-user']
    if (mode !== undefined) args.push(...requireMode({ title, modes }, mode, version).args)
    if (mode === 'plan') args.push(planTools)
    if (model !== undefined) args.push('--model', model)
    if (effort !== undefined) args.push('--reasoning-effort', effort)
    if (sessionId !== undefined) args.push('--session-id', sessionId)
    if (resume === 'latest') args.push('--continue')
    else if (resume !== undefined) args.push(`--resume=${resume}`)
    args.push(...media.map(({ path }) => `--attachment=${path}`))
    args.push(...allow.map((rule) => `--allow-tool=${rule}`))
    return { args: [...args, ...extraArgs], stdin: request.prompt }
  },
  async prepare(request, place) {
    refuse(request)
    await removeLeftovers()
    const { mcpServers } = request
    const named = { ...request, ...(await nameSession(request, place)) }
    if (!mcpServers) return { request: named, finish: async () => [] }
    // A file that only the user can read, since every user of the machine can see arguments.
    const files = await writeRunFiles({
      'mcp.json': JSON.stringify({ mcpServers: toMcpConfig(mcpServers) }),
    })
    return {
      request: named,
      args: ['--additional-mcp-config', `@${files.path('mcp.json')}`],
      async finish() {
        await files.remove()
        return []
      },
    }
  },
}

/** The output names the session only in its last line, so that a run chooses or finds it. */
async function nameSession(
  { sessionId, resume }: HeadlessRequest,
  place: Parameters<typeof findLatestSession>[0],
): Promise<Pick<HeadlessRequest, 'sessionId' | 'resume'>> {
  if (resume === undefined) return { sessionId: sessionId ?? randomUUID() }
  if (resume !== 'latest') return {}
  const latest = await findLatestSession(place)
  if (latest !== undefined) return { resume: latest }
  throw new RemoraError('input', `No session of ${title} was found for ${place.cwd}`, {
    hint: 'Start a new session, or name the one to resume.',
  })
}

function toMcpConfig(servers: Readonly<Record<string, McpServer>>): object {
  const entries = Object.entries(servers).map(([name, server]) => {
    const type = 'url' in server ? 'http' : 'local'
    return [name, { type, ...server, tools: ['*'] }] as const
  })
  return Object.fromEntries(entries)
}

function refuse({ fork, systemPrompt, media = [], allow = [], mode }: HeadlessRequest): void {
  if (fork) throw createUnsupportedError(title, 'the option fork', 'Use /fork in its terminal.')
  if (systemPrompt !== undefined)
    throw createUnsupportedError(title, 'the option systemPrompt', 'Write the instructions into AGENTS.md.')
  if (allow.length > 0 && mode === 'plan')
    throw createUnsupportedError(title, 'the option allow in mode plan', 'Its tools are fixed in plan mode.')
  const other = media.find(({ kind }) => kind !== 'image' && kind !== 'document')
  if (other)
    throw createUnsupportedError(
      title,
      `the option media with ${other.mediaType}`,
      'It takes images and documents.',
    )
}
