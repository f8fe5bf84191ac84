import { findAgent } from '@remora/sdk'
import {
  type HookFileStatus,
  type HookStatus,
  hookStatus,
  scanSpool,
  refusedPayloads,
  spoolFolder,
} from '@remora/sdk/hooks'
import { listNamedAgents, readHookScope } from '../../args/choose-agents.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { getAgentPlace } from '../../detection/agent-place.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { type Colors, colors } from '../../output/colors.ts'
import { plural } from '../../output/format-number.ts'
import { homePath } from '../../output/home-path.ts'
import { wrapWords } from '../../output/wrap-words.ts'
import { formatProblems } from './problem-lines.ts'

/** Shows installed hooks, hooks of other tools, and whether the CLIs will run them. */
export async function status(input: Input, io: Io): Promise<number> {
  const chosen = listNamedAgents(input)
  const scope = readHookScope(input, chosen, io)
  const found: HookStatus[] = []
  for (const agent of chosen)
    found.push(
      await hookStatus(agent, {
        place: await getAgentPlace(agent, io),
        remoraHome: remoraHome(io),
        ...(scope === undefined ? {} : { scope }),
      }),
    )
  const spool = readSpool(remoraHome(io))
  if (input.values['json']) {
    io.out(`${JSON.stringify({ agents: found, spool }, null, 2)}\n`)
    return 0
  }
  const paint = await colors(input, io)
  const lines = [...found.flatMap((each) => formatStatus(each, paint, io)), ...spoolLines(spool)]
  // Hooks cannot be installed in unreadable settings, so the hint is left out for those.
  if (!found.some((each) => each.installed || isUnreadable(each)))
    lines.push('To install them: remora hooks install')
  io.out(`${lines.flatMap((line) => wrapWords(line, io.columns)).join('\n')}\n`)
  return 0
}

function isUnreadable({ problems }: HookStatus): boolean {
  return problems.some(({ code }) => code === 'bad_settings')
}

function formatStatus(status: HookStatus, paint: Colors, io: Io): string[] {
  const { agent, files, problems } = status
  const title = findAgent(agent)?.title ?? agent
  const mark = problems.length > 0 ? paint.yellow('!') : paint.green('✓')
  const heads = [...sums(agent, files)].map(([sum, paths]) => {
    const where = paint.dim(paths.map((path) => homePath(path, io.home)).join(', '))
    return `${mark} ${paint.bold(title)} ${sum}  ${where}`
  })
  const none = isUnreadable(status) ? `${title} settings cannot be read` : `${title} has no Remora hooks`
  if (heads.length === 0) heads.push(problems.length > 0 ? `${mark} ${none}` : paint.dim(`- ${none}`))
  const others = files.flatMap((file) => file.others)
  return [
    ...heads,
    ...(others.length === 0
      ? []
      : [paint.dim(`    ${plural(others.length, 'other hook')}: ${names(others)}`)]),
    ...formatProblems(problems, paint),
  ]
}

/** Groups equal hooks, each with its files. A helper hook is listed with the hook it belongs to. */
function sums(agent: string, files: readonly HookFileStatus[]): Map<string, string[]> {
  const known = new Set(findAgent(agent)?.hooks?.events)
  const found = new Map<string, string[]>()
  for (const { file, events, paved, state } of files) {
    if (events.length + paved.length === 0) continue
    const recorded = events.filter((event) => known.has(event))
    const sum = [
      ...(recorded.length > 0 ? [`records ${recorded.join(', ')}`] : []),
      ...(state === 'outdated' ? ['outdated'] : []),
      ...(paved.length > 0 ? [`corrects ${paved.join(', ')}`] : []),
    ].join('; ')
    const place = sum === '' ? ([...found.keys()].at(-1) ?? sum) : sum
    found.set(place, [...(found.get(place) ?? []), file])
  }
  return found
}

/** Removes duplicates and shortens the list. */
function names(others: readonly { readonly command: string }[]): string {
  const all = [...new Set(others.map(({ command }) => command))]
  return all.length > 3 ? `${all.slice(0, 3).join(', ')}, …` : all.join(', ')
}

interface Spool {
  readonly path: string
  /** Payloads that are not imported yet. */
  readonly pending: number
  /** Payloads dropped because the spool was full. */
  readonly refused: number
}

function readSpool(home: string): Spool {
  const pending = scanSpool(home).entries.length
  return { path: spoolFolder(home), pending, refused: refusedPayloads(home) }
}

function spoolLines({ pending, refused }: Spool): string[] {
  if (pending + refused === 0) return []
  const lost = refused === 0 ? '' : `; ${plural(refused, 'payload')} lost because it was full`
  return [`${plural(pending, 'payload')} in the spool${lost}. To import: remora hooks ingest --spool`]
}
