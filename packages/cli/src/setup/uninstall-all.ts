import { type Agent, agents } from '@remora/sdk'
import { type HookFileStatus, type Uninstalled, hookStatus, uninstallHooks } from '@remora/sdk/hooks'
import { getExitCode, formatUninstalled } from '../agents/hooks/uninstall.ts'
import { canAsk, readYes } from '../command/confirm.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { getAgentPlace } from '../detection/agent-place.ts'
import { remoraHome } from '../home/remora-home.ts'
import { readPaved } from '../insights/pave/pave-file.ts'
import { colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import { readGuarded, undoGuards } from '../sessions/undo-guards.ts'
import { findRemainingFiles, formatRemainingFiles } from './remaining-files.ts'

/** Removes all changes of Remora from every agent, after confirmation. */
export async function uninstallAll(input: Input, io: Io): Promise<number> {
  const { yes, json } = input.values
  const concerned = await found(io)
  const taught = (await readPaved(io)).lessons.map(({ file }) => file)
  const guarded = await readGuarded(io)
  if (!yes && concerned.length + taught.length + guarded.length > 0) {
    if (!json) {
      io.out('Remora changed these files:\n')
      for (const { agent, file } of concerned) io.out(`  ${agent.title}: ${homePath(file, io.home)}\n`)
      for (const { file, setting } of guarded)
        io.out(`  Session guard: ${setting.join('.')} in ${homePath(file, io.home)}\n`)
      for (const file of taught) io.out(`  Lessons: ${homePath(file, io.home)}\n`)
    }
    if (json || !(await agreed(io))) {
      const files = concerned.map(({ agent, file }) => ({ agent: agent.id, file }))
      const hint = `Nothing changed. To restore them: remora uninstall --yes${json ? ' --json' : ''}`
      const left = await findRemainingFiles(io)
      const settings = guarded.map(({ agent, file, setting }) => ({
        agent,
        file,
        setting: setting.join('.'),
      }))
      if (json)
        io.out(`${JSON.stringify({ done: false, files, lessons: taught, settings, left, hint }, null, 2)}\n`)
      else {
        const lines = formatRemainingFiles({ ...left, settings: [] }, io)
        if (lines.length > 0) io.out(`Not removed:\n${lines.map((line) => `  ${line}\n`).join('')}`)
        io.out(`${hint}\n`)
      }
      return 1
    }
  }
  const done: Uninstalled[] = []
  for (const agent of withHooks())
    done.push(
      await uninstallHooks(agent, {
        place: await getAgentPlace(agent, io),
        remoraHome: remoraHome(io),
        kind: 'all',
      }),
    )
  const { removeLessons } = await import('../insights/pave/agents-md.ts')
  const lessons = await removeLessons(io)
  const settings = await undoGuards(io)
  const left = await findRemainingFiles(io)
  const code = settings.some(({ result }) => result === 'failed') ? 1 : getExitCode(done)
  if (json) {
    const result = { done: code === 0, agents: done, lessons, settings, ledger: left.ledger, left }
    io.out(`${JSON.stringify(result, null, 2)}\n`)
  } else {
    const lines = formatUninstalled(done, await colors(input, io), io)
    for (const file of lessons) lines.push(`${homePath(file, io.home)}: lessons removed`)
    for (const { file, setting, result, error } of settings)
      lines.push(`${homePath(file, io.home)}: ${setting} ${guardWords[result]}${error ? `: ${error}` : ''}`)
    if (lines.length === 0) lines.push('No agent has Remora hooks or settings.')
    lines.push(...formatRemainingFiles(left, io))
    io.out(`${lines.join('\n')}\n`)
  }
  return code
}

const guardWords = {
  restored: 'restored',
  cleaned: 'restored; other changes to the file are kept',
  deleted: 'removed with the file that guard created',
  kept: 'kept, because it was changed later',
  failed: 'could not be restored',
}

const withHooks = (): Agent[] => agents().filter((agent) => agent.hooks)

async function found(io: Io): Promise<{ agent: Agent; file: string }[]> {
  const isOurs = ({ events, paved }: HookFileStatus): boolean => events.length + paved.length > 0
  const statuses = await Promise.all(
    withHooks().map(async (agent) => {
      const { files } = await hookStatus(agent, {
        place: await getAgentPlace(agent, io),
        remoraHome: remoraHome(io),
      })
      return files.filter(isOurs).map(({ file }) => ({ agent, file }))
    }),
  )
  return statuses.flat()
}

async function agreed(io: Io): Promise<boolean> {
  if (!io.terminal || !canAsk(io)) return false
  io.out('Restore them? [y/N] ')
  return readYes(io)
}
