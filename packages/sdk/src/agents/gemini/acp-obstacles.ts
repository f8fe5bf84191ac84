import type { Place, Problem } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import type { Settings } from '../../dialects/settings.ts'
import { settingsFiles } from './hook-obstacles.ts'
import { trustProblems } from './trust.ts'
import { since } from './versions.ts'

/** The name of the MCP server that offers the program's tools. */
const server = 'remora'

/**
 * Finds what makes the CLI silently ignore the MCP servers of an ACP session: an untrusted session folder (the
 * process's folder does not matter), or a server allow-list in its settings.
 *
 * @example const [obstacle] = await acpObstacles(place)
 */
export async function acpObstacles(place: Place): Promise<Problem[]> {
  const files = await settingsFiles(place)
  // Versions without a trust override trust every folder when there is no terminal.
  const asks = atLeast(place.version, since.skipTrust)
  const trust = asks ? await trustProblems(place, files[0]) : []
  return [
    ...trust.map((problem) =>
      problem.code === 'untrusted_folder'
        ? { ...problem, code: 'untrusted', message: `${problem.message}; it takes no tools there` }
        : problem,
    ),
    ...files.flatMap(listProblems),
  ]
}

function listProblems({ file, get }: Settings): Problem[] {
  const lists = { allowed: get('mcp', 'allowed'), excluded: get('mcp', 'excluded') }
  const names = (list: unknown): unknown[] | undefined => (Array.isArray(list) ? list : undefined)
  const problem = (message: string, hint: string) => ({ code: 'config', message, hint })
  return [
    ...(names(lists.allowed)?.includes(server) === false
      ? [
          problem(
            `Gemini CLI takes no tools: mcp.allowed in ${file} does not name ${server}`,
            `Add "${server}" to that list.`,
          ),
        ]
      : []),
    ...(names(lists.excluded)?.includes(server) === true
      ? [
          problem(
            `Gemini CLI takes no tools: mcp.excluded in ${file} names ${server}`,
            `Take "${server}" out of that list.`,
          ),
        ]
      : []),
  ]
}
