import { resolve } from 'node:path'
import { type Agent, agents, detect } from '@remora/sdk'
import { findAgent, hookStatus, installHooks, uninstallHooks } from '@remora/sdk/hooks'
import { findAgentByName } from '../../args/choose-agents.ts'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { getAgentPlace } from '../../detection/agent-place.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { colors } from '../../output/colors.ts'
import { shellLine } from '../../output/shell-word.ts'
import { readAliases } from '../aliases/alias-file.ts'
import { paveAgents } from '../aliases/native-names.ts'
import { programCommand, removeProgram, writeProgram } from '../aliases/rules-file.ts'
import { editPaved, readPaved } from './pave-file.ts'

/** Installs the hook that corrects calls before they run, and prints its files. */
export async function installPave(input: Input, io: Io): Promise<number> {
  const chosen = await chosenAgents(input, io)
  const scope = readScope(input, chosen, io)
  const aliases = await readAliases(io)
  // The program first, then the settings that name it.
  await writeProgram(io, aliases)
  const done = []
  for (const agent of chosen) {
    const place = await getAgentPlace(agent, io)
    const command = programCommand(io, agent.id)
    const options = { place, remoraHome: remoraHome(io), ...scope }
    const installed = await installHooks(agent, { ...options, kind: 'pave', command })
    const { problems } = await hookStatus(agent, options)
    done.push({ ...installed, title: agent.title, command, problems })
  }
  const now = new Date().toISOString()
  await editPaved(io, (paved) => ({
    ...paved,
    // The first installation counts.
    hooks: { ...Object.fromEntries(chosen.map(({ id }) => [id, now])), ...paved.hooks },
  }))
  if (input.values['json']) {
    const reported = done.map(({ agent, events, files, command, problems }) => ({
      agent,
      events,
      command,
      files,
      problems,
    }))
    io.out(`${JSON.stringify({ rules: aliases.length, agents: reported }, null, 2)}\n`)
    return 0
  }
  const paint = await colors(input, io)
  for (const { agent, title, files, events, command, problems } of done) {
    for (const { file, changed } of files)
      io.out(
        `${paint.green('✓')} ${title}: ${file} ${changed ? 'hook installed' : 'hook already installed'}\n`,
      )
    io.out(`  Runs before each tool call (${events.join(', ')}): ${shellLine(command)}\n`)
    io.out(`  ${describePave(agent)}\n`)
    for (const { message, hint } of problems) io.out(`${paint.yellow('!')} ${message}\n  ${hint}\n`)
  }
  io.out(
    aliases.length === 0
      ? 'No aliases yet, so it changes nothing. Add one: remora alias pip pip3 --replace\n'
      : `${aliases.length === 1 ? '1 alias' : `${aliases.length} aliases`} active; new ones apply immediately. To remove the hook: remora pave --hook --uninstall\n`,
  )
  return 0
}

function describePave(id: string): string {
  const { title, pave } = findAgent(id)!
  return pave?.dialect === 'refusal'
    ? `${title} hooks cannot correct a call. The call is refused with the right command as the reason.`
    : 'Your aliases correct calls. Approval requests stay the same.'
}

export async function uninstallPave(input: Input, io: Io): Promise<number> {
  const all = agents().filter(canPave)
  const chosen = input.lists['agent'] ? await chosenAgents(input, io) : all
  const scope = readScope(input, chosen, io)
  const options = { remoraHome: remoraHome(io), ...scope }
  const done = []
  for (const agent of chosen)
    done.push(
      await uninstallHooks(agent, { ...options, place: await getAgentPlace(agent, io), kind: 'pave' }),
    )
  await editPaved(io, (paved) => ({
    ...paved,
    hooks: Object.fromEntries(
      Object.entries(paved.hooks).filter(([id]) => !chosen.some((agent) => agent.id === id)),
    ),
  }))
  // The program stays while a CLI's settings still name it.
  if (!(await anyLeft(all, io))) await removeProgram(io)
  const failed = done.some(({ files }) => files.some(({ result }) => result === 'failed'))
  if (input.values['json']) io.out(`${JSON.stringify({ agents: done }, null, 2)}\n`)
  else {
    const files = done.flatMap((each) => each.files)
    if (files.length === 0) io.out('The hook is not installed.\n')
    for (const { file, result, error } of files)
      io.out(
        result === 'failed' ? `! ${file}: ${error?.message ?? 'not changed'}\n` : `✓ ${file}: ${result}\n`,
      )
  }
  return failed ? 1 : 0
}

async function anyLeft(all: readonly Agent[], io: Io): Promise<boolean> {
  for (const agent of all) {
    const { files, problems } = await hookStatus(agent, {
      place: await getAgentPlace(agent, io),
      remoraHome: remoraHome(io),
    })
    if (files.some(({ paved }) => paved.length > 0) || problems.some(({ code }) => code === 'bad_settings'))
      return true
  }
  return false
}

/** Prints the current state. */
export async function showPave(input: Input, io: Io): Promise<number> {
  const aliases = await readAliases(io)
  const found = await listPavedAgents(io)
  if (input.values['json']) io.out(`${JSON.stringify({ rules: aliases.length, agents: found }, null, 2)}\n`)
  else {
    io.out(`Aliases: ${aliases.length}\n`)
    for (const { agent, since, files } of found)
      io.out(
        `${agent.padEnd(8)} ${since === null ? 'no hook' : `paved since ${formatDay(since)}: ${files.join(', ')}`}\n`,
      )
    io.out(
      found.some(({ since }) => since !== null)
        ? '\nTo remove the hook: remora pave --hook --uninstall. To measure its effect: remora desires effect\n'
        : '\nTo correct calls before they run: remora pave --hook\n',
    )
    io.out('To print lessons for memory files: remora pave --agents-md\n')
  }
  return 0
}

/** @example formatDay('2026-06-20T12:00:00.000Z') // '2026-06-20' */
export function formatDay(since: string): string {
  return /^\d{4}-\d\d-\d\d(?=T)/.exec(since)?.[0] ?? since
}

/** For each agent that supports it: when its hook was installed, and in which files. `since` is null without a hook. */
export async function listPavedAgents(
  io: Io,
): Promise<{ readonly agent: string; readonly since: string | null; readonly files: readonly string[] }[]> {
  const { hooks } = await readPaved(io)
  const found = []
  for (const agent of agents().filter(canPave)) {
    const { files } = await hookStatus(agent, {
      place: await getAgentPlace(agent, io),
      remoraHome: remoraHome(io),
    })
    const paved = files.filter((each) => each.paved.length > 0)
    const since = paved.length === 0 ? null : (hooks[agent.id] ?? 'an earlier day')
    found.push({ agent: agent.id, since, files: paved.map(({ file }) => file) })
  }
  return found
}

function canPave(agent: Agent): boolean {
  return agent.pave !== undefined && (agent.hooks?.gates.length ?? 0) > 0
}

/** The named agents, or all installed ones that support such hooks. */
async function chosenAgents({ lists }: Input, io: Io): Promise<Agent[]> {
  const named = lists['agent'] && [...new Set(lists['agent'].map(findAgentByName))]
  if (named) {
    const other = named.find((agent) => !canPave(agent))
    if (other)
      throw new UsageError(
        `${other.title} does not support hooks that correct calls`,
        'Print lessons for its memory file: remora pave --agents-md',
      )
    return named
  }
  const found: Agent[] = []
  for (const agent of agents().filter(canPave)) {
    const place = await getAgentPlace(agent, io)
    if ((await detect(agent, { ...place, platform: io.platform })).installed) found.push(agent)
  }
  if (found.length === 0)
    throw new UsageError(
      'No installed agent supports hooks that correct calls',
      `To install anyway: remora pave --hook --agent ${paveAgents.map(({ id }) => id).join('|')}`,
    )
  return found
}

function readScope({ values }: Input, chosen: readonly Agent[], io: Io): { scope?: { file: string } } {
  const file = values['settings']
  if (typeof file !== 'string') return {}
  if (chosen.length !== 1)
    throw new UsageError('--settings needs exactly one agent', `For example: --agent ${chosen[0]!.id}`)
  return { scope: { file: resolve(io.cwd, file) } }
}
