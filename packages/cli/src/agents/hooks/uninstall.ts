import { findAgent } from '@remora/sdk'
import {
  type Uninstalled,
  type UninstalledFile,
  type UninstallResult,
  uninstallHooks,
} from '@remora/sdk/hooks'
import { listNamedAgents, readHookScope } from '../../args/choose-agents.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { getAgentPlace } from '../../detection/agent-place.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { type Colors, colors } from '../../output/colors.ts'
import { homePath } from '../../output/home-path.ts'
import { formatProblems } from './problem-lines.ts'

/** Removes the recording hooks from the named agents, or from all. */
export async function uninstall(input: Input, io: Io): Promise<number> {
  const chosen = listNamedAgents(input)
  const scope = readHookScope(input, chosen, io)
  const done: Uninstalled[] = []
  for (const agent of chosen)
    done.push(
      await uninstallHooks(agent, {
        place: await getAgentPlace(agent, io),
        remoraHome: remoraHome(io),
        ...(scope === undefined ? {} : { scope }),
      }),
    )
  if (input.values['json']) io.out(`${JSON.stringify(done, null, 2)}\n`)
  else {
    const lines = formatUninstalled(done, await colors(input, io), io)
    const none = `No Remora hooks were installed${input.positionals.length > 0 ? ' there' : ''}.`
    io.out(`${(lines.length > 0 ? lines : [none]).join('\n')}\n`)
  }
  return getExitCode(done)
}

const words: Readonly<Record<UninstallResult, string>> = {
  restored: 'restored, byte for byte',
  cleaned: 'Remora hooks removed; other changes are kept',
  deleted: 'deleted, because it had no other content',
  gone: 'already deleted',
  failed: 'could not be changed',
}

const someLeft =
  'recording hooks removed; the pave hook is kept. To remove it: remora pave --hook --uninstall'

/** Formats the result for each settings file. */
export function formatUninstalled(done: readonly Uninstalled[], paint: Colors, io: Io): string[] {
  return done.flatMap(({ agent, files }) =>
    files.flatMap(({ file, result, left, error }) => {
      const mark = result === 'failed' ? paint.red('✗') : paint.green('✓')
      const title = paint.bold(findAgent(agent)?.title ?? agent)
      return [
        `${mark} ${title} ${homePath(file, io.home)}: ${left ? someLeft : words[result]}`,
        ...(error ? formatProblems([error], paint) : []),
      ]
    }),
  )
}

/** A file that could not be restored is a failure. */
export function getExitCode(done: readonly { readonly files: readonly UninstalledFile[] }[]): number {
  return done.some(({ files }) => files.some(({ result }) => result === 'failed')) ? 1 : 0
}
