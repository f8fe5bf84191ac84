import type { DesirePath, PackageManager, Suggestion } from '@remora/insights'
import { type Ledger, mask } from '@remora/ledger'
import { findAgent, listTools } from '@remora/sdk/hooks'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { findProgram } from '../../detection/find-program.ts'
import type { Colors } from '../../output/colors.ts'
import { plural } from '../../output/format-number.ts'
import { harmless } from '../../output/one-line.ts'
import { textWidth } from '../../output/text-width.ts'
import { wrap } from '../../output/wrap-words.ts'
import { readAliases } from '../aliases/alias-file.ts'
import { toCell } from '../desires/format-call.ts'
import { readMappings } from '../desires/mappings.ts'
import { showCalls } from '../desires/show-calls.ts'

const usual = 10

interface Suggested {
  readonly path: DesirePath
  readonly fixes: readonly Suggestion[]
}

/** Shows a fix for each of the most costly patterns. */
export async function showSuggestions(input: Input, io: Io): Promise<number> {
  const { isInPath, paths, recoveries, suggest } = await import('@remora/insights')
  const error = typeof input.values['error'] === 'string' ? input.values['error'].toLowerCase() : undefined
  return showCalls(input, io, { failed: false }, async ({ ledger, calls, failures, query }) => {
    const meant = failures.filter((each) => error === undefined || each.error?.toLowerCase().includes(error))
    const sources = {
      aliases: await readAliases(io),
      mappings: await readMappings(io),
      recoveries: recoveries(calls, failures),
      tools: await knownTools(ledger),
      agent: findAgent,
      managers: await findPackageManagers(io),
      isInstalled: (command: string) => isInPath(command, io.env['PATH']),
      pavedSince: await pavedSince(io),
    }
    const found = paths(meant)
      .slice(0, query.limit ?? usual)
      .map((path): Suggested => ({ path, fixes: suggest(path, sources).map(masked) }))
    return {
      json: found.map(({ path, fixes }) => ({
        pattern: path.name,
        tool: path.tool,
        class: path.class,
        agents: path.agents,
        count: path.count,
        sessions: path.sessions,
        score: path.score,
        last: path.last,
        suggestions: fixes,
      })),
      lines: (paint, width) => found.flatMap((each, index) => formatSuggestion(each, index, width, paint)),
      none:
        error !== undefined && failures.length > 0
          ? `No error contains "${toCell(error, 60)}".\n  Show failures: remora desires\n`
          : undefined,
    }
  })
}

/** Suggestions may be pasted into shared files, so secrets are masked. */
function masked(fix: Suggestion): Suggestion {
  return { ...fix, text: mask(fix.text), paste: mask(fix.paste) }
}

function formatSuggestion({ path, fixes }: Suggested, index: number, width: number, paint: Colors): string[] {
  const times = `${plural(path.count, 'failure')} in ${plural(path.sessions, 'session')}`
  return [
    ...(index === 0 ? [] : ['']),
    ...getHead(
      `${index + 1}. ${toCell(path.name, 100)}`,
      `${times}, ${path.agents.join(', ')}`,
      width,
      paint,
    ),
    ...fixes.flatMap(({ text, where, paste }) => [
      ...wrap(
        `${toCell(text, 240)}${where === 'shell' || text.includes(where) ? '' : ` (${where})`}:`,
        width,
        '   ',
      ),
      ...paste.split('\n').map((line) => `     ${paint.cyan(harmless(line))}`),
    ]),
  ]
}

/** The name and the number of failures, on one line if it fits. */
function getHead(name: string, times: string, width: number, paint: Colors): string[] {
  if (textWidth(name) + 2 + textWidth(times) <= width) return [paint.bold(name) + paint.dim(`  ${times}`)]
  return [...wrap(name, width).map(paint.bold), ...wrap(times, width, '   ').map(paint.dim)]
}

/** When the pave hook of an agent was installed. */
async function pavedSince(io: Io): Promise<(agent: string) => string | undefined> {
  const { formatDay, listPavedAgents } = await import('./pave-hook.ts')
  const all = await listPavedAgents(io)
  return (agent) => {
    const since = all.find((each) => each.agent === agent)?.since
    return since ? formatDay(since) : undefined
  }
}

/** The tools of each agent: built-in ones, and MCP tools that worked before. */
async function knownTools(ledger: Ledger): Promise<(agent: string) => string[]> {
  const counts = await ledger.countCalls({ by: ['agent', 'tool'], failed: false })
  return (agent) => [
    ...listTools(findAgent(agent)?.tools ?? {}),
    ...counts.flatMap(({ agent: user, tool }) => (user === agent && tool?.startsWith('mcp__') ? [tool] : [])),
  ]
}

const programs: readonly (readonly [PackageManager, string])[] = [
  ['brew', 'brew'],
  ['apt', 'apt-get'],
  ['npm', 'npm'],
  ['pip', 'pip'],
]

async function findPackageManagers(io: Io): Promise<PackageManager[]> {
  const there = await Promise.all(
    programs.map(async ([manager, program]) =>
      (await findProgram(program, io.env['PATH'])) === undefined ? [] : [manager],
    ),
  )
  return there.flat()
}
