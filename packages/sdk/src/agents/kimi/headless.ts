import { RemoraError } from '@remora/protocol/plain'
import type { HeadlessPart, HeadlessRequest, Place } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { wordJoiner } from '../../contract/prompt-escapes.ts'
import { listTools } from '../../contract/tools.ts'
import { asCount } from '../../events/fields.ts'
import { removeLeftovers, writeRunFiles } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { modes } from './modes.ts'
import { profile } from './profile.ts'
import { findLatestSession, findSessionFolder, readRecords, watchForSession } from './session-files.ts'
import { streamReader } from './stream.ts'
import { tools } from './tools.ts'
import { readRunUsage } from './usage.ts'

const { title } = profile

/** A request with what `prepare` has found out. */
export interface KimiRequest extends HeadlessRequest {
  /** The file that restricts the tools. */
  readonly agentFile?: string
  /** The number of the run's first turn, which is part of the ids of its calls. */
  readonly turn?: number
  /** Finds the new session, once it exists. */
  readonly findSession?: () => string | undefined
}

/** The only command of a run. */
const goal = /^[\s\p{Cf}\p{DI}]*\/goal(?:\s|$)/u

/** One prompt as an argument, answered as JSON lines. Kimi itself runs every tool then, and asks for none. */
export const headless: HeadlessPart = {
  escapes: [{ kind: 'slash', pattern: goal, prefix: wordJoiner }],
  reader: streamReader,
  readUsage: readRunUsage,
  invocation(request: KimiRequest, version) {
    refuse(request, version)
    const { prompt, model, resume, agentFile, extraArgs = [] } = request
    const args = ['--output-format', 'stream-json']
    if (model !== undefined) args.push('--model', model)
    if (resume === 'latest') args.push('--continue')
    else if (resume !== undefined) args.push('--session', resume)
    // Without the file that `prepare` writes, the run fails instead of running every tool.
    else if (listAllowed(request)) args.push('--agent-file', agentFile ?? 'remora-agent-file-is-missing')
    return { args: [...args, ...extraArgs, `--prompt=${prompt}`] }
  },
  async prepare(request, place) {
    refuse(request, place.version)
    await removeLeftovers()
    const allowed = listAllowed(request)
    if (request.resume !== undefined) {
      const resumed = await prepareResume(request, request.resume, place, allowed)
      return { request: resumed, finish: async () => [] }
    }
    const findSession = watchForSession(place, request.prompt)
    if (!allowed) return { request: { ...request, findSession } as KimiRequest, finish: async () => [] }
    const files = await writeRunFiles({ 'agent.md': formatAgent(allowed) })
    return {
      request: { ...request, findSession, agentFile: files.path('agent.md') } as KimiRequest,
      async finish() {
        await files.remove()
        return []
      },
    }
  },
}

/** The kinds of tools of each mode in which a run must not do everything. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  default: [],
  plan: [],
  acceptEdits: ['edit'],
}

/** The only tools of a run; undefined for all of them. A run cannot ask, so that tools that would ask are left out. */
function listAllowed({ mode, allow = [] }: HeadlessRequest): string[] | undefined {
  const found = mode === undefined ? undefined : requireMode({ title, modes }, mode, undefined)
  const more = found && kinds[found.id]
  if (!more) return undefined
  return [...listTools(tools, ({ kind, readOnly }) => readOnly || more.includes(kind)), ...allow]
}

/** The name is ours, so that a session can be recognized that was started with fewer tools. */
const agentName = 'remora-fewer-tools'

function formatAgent(allowed: readonly string[]): string {
  const head = { name: agentName, description: 'Fewer tools', override: true, tools: allowed }
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return ['---', ...lines, '---', '${base_prompt}', ''].join('\n')
}

/** A session keeps the tools with which it was started, so that it is resumed only in a mode that fits. */
async function prepareResume(
  request: HeadlessRequest,
  wanted: string,
  place: Place,
  allowed: readonly string[] | undefined,
): Promise<KimiRequest> {
  const id = wanted === 'latest' ? await findLatestSession(place) : wanted
  const folder = id === undefined ? undefined : await findSessionFolder(place, id)
  if (id === undefined || folder === undefined)
    throw new RemoraError('input', `No session ${id ?? 'in this folder'} of ${title} was found`, {
      hint: 'Start a new session, or name the one to resume.',
    })
  const records = await readRecords(folder, /^(?:profile\.bind|turn\.prompt|tools\.(?:re)?set_active_tools)$/)
  const bound = records.findLast(({ type }) => type === 'profile.bind')
  const isChanged = records.some(({ type }) => String(type).startsWith('tools.'))
  const isOurs = bound?.['profileName'] === agentName && !isChanged
  const names =
    isOurs && Array.isArray(bound['activeToolNames']) ? (bound['activeToolNames'] as unknown[]) : []
  const fits = allowed ? isOurs && names.every((name) => allowed.includes(String(name))) : !isOurs
  if (!fits)
    throw createUnsupportedError(
      title,
      `the mode ${request.mode} in the session ${id}`,
      'A session keeps the tools with which it was started. Resume it in that mode, or start a new one.',
    )
  const turns = records.flatMap(({ type, turnId }) => (type === 'turn.prompt' ? (asCount(turnId) ?? []) : []))
  return { ...request, resume: id, turn: Math.max(-1, ...turns) + 1 }
}

function refuse(request: HeadlessRequest, version: string | undefined): void {
  const { mode, allow = [], media = [] } = request
  if (mode !== undefined) requireMode({ title, modes }, mode, version)
  const refused = [
    ['sessionId', request.sessionId !== undefined, 'Kimi Code chooses the id of a new session.'],
    ['fork', request.fork === true, 'Run kimi fork, and resume the new session.'],
    ['systemPrompt', request.systemPrompt !== undefined, 'Write the instructions into AGENTS.md.'],
    ['effort', request.effort !== undefined, 'Set it in ~/.kimi-code/config.toml.'],
    ['mcpServers', request.mcpServers !== undefined, 'Write them into ~/.kimi-code/mcp.json.'],
    ['media', media.length > 0, 'Name the files in the prompt.'],
    ['allow with a pattern', !allow.every((rule) => /^\w+$/.test(rule)), 'Name tools, such as Bash.'],
    ['allow in mode plan', allow.length > 0 && mode === 'plan', 'Its tools are fixed in plan mode.'],
  ] as const
  for (const [option, isUsed, hint] of refused)
    if (isUsed) throw createUnsupportedError(title, `the option ${option}`, hint)
}
