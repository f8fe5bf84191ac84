import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type {
  Agent,
  HookEntry,
  HookKind,
  HookScope,
  HookTarget,
  HooksPart,
  Place,
  Problem,
} from '../../contract/agent.ts'
import { readText } from '../../files/settings-file.ts'
import { type HookFolders, absolute, hookFolders, inFile, isHookScript } from './install-files.ts'
import { hookTargets, getHooks } from './install-hooks.ts'
import { planInstall } from './install-plan.ts'
import { type InstallRecord, findRecord } from './install-record.ts'

/** Where to look for installed hooks. */
export interface StatusOptions {
  readonly place: Place
  /** The folder of all state. */
  readonly remoraHome: string
  /** All scopes by default. */
  readonly scope?: HookScope
}

/** Whether our hooks are current, or of an older version. */
export type HookState = 'current' | 'outdated' | 'absent'

/** The hooks in one settings file. */
export interface HookFileStatus {
  readonly file: string
  readonly exists: boolean
  readonly state: HookState
  /** The recorded events. */
  readonly events: readonly string[]
  /** The events at which tool calls are corrected. */
  readonly paved: readonly string[]
  /** Other programs' hooks. */
  readonly others: readonly HookEntry[]
}

/** The hooks of one agent in all its settings files. */
export interface HookStatus {
  readonly agent: string
  /** Whether any event is recorded. */
  readonly installed: boolean
  readonly files: readonly HookFileStatus[]
  /** Reasons why the CLI would not run our hooks, or why its files are unreadable. */
  readonly problems: readonly Problem[]
}

/**
 * Reports our hooks and other hooks of a CLI, and whether it will run ours. The user's files are always listed; other files
 * only if they contain our hooks.
 *
 * @example (await hookStatus(findAgent('gemini')!, { place, remoraHome: '/home/me/.remora' })).installed
 */
export async function hookStatus(agent: Agent, options: StatusOptions): Promise<HookStatus> {
  const { place } = options
  const part = getHooks(agent)
  const scope = options.scope && absolute(options.scope, place)
  const folders = hookFolders(resolve(options.remoraHome))
  const always = new Set((await part.targets(place, scope ?? 'user')).map(({ file }) => file))
  const files: HookFileStatus[] = []
  const problems: Problem[] = []
  for (const target of await hookTargets(agent, place, folders, scope)) {
    try {
      const status = await fileStatus(agent, target, folders)
      if (always.has(target.file) || isOurs(status)) files.push(status)
    } catch (error) {
      if (!RemoraError.is(error)) throw error
      problems.push({ code: 'bad_settings', message: error.message, hint: error.hint ?? '' })
    }
  }
  const ours = files.filter(isOurs)
  if (ours.length > 0) {
    problems.push(...(await scriptProblems(agent, ours, folders)))
    problems.push(...outdatedProblems(agent, ours))
    problems.push(...(await unreadProblems(agent, place, ours)))
    problems.push(
      ...((await part.obstacles?.(
        place,
        ours.map(({ file }) => file),
      )) ?? []),
    )
  }
  return { agent: agent.id, installed: ours.some(({ events }) => events.length > 0), files, problems }
}

const isOurs = ({ events, paved }: HookFileStatus): boolean => events.length + paved.length > 0

async function fileStatus(agent: Agent, target: HookTarget, folders: HookFolders): Promise<HookFileStatus> {
  const { file } = target
  const text = await readText(file)
  const entries = inFile(file, () => (text === undefined ? [] : target.entries(text)))
  const of = (kind: HookKind) => [
    ...new Set(entries.filter((entry) => entry.kind === kind).map(({ event }) => event)),
  ]
  const events = of('record')
  const current = [folders.script, agent.id]
  const record = findRecord(folders.installed, file)
  const state =
    events.length === 0
      ? 'absent'
      : isCurrent(target, text ?? '', record, events, current)
        ? 'current'
        : 'outdated'
  return {
    file,
    exists: text !== undefined,
    state,
    events,
    paved: of('pave'),
    others: entries.filter((entry) => entry.kind === undefined),
  }
}

/** Whether installing again would leave the same hooks. */
function isCurrent(
  target: HookTarget,
  text: string,
  record: InstallRecord | undefined,
  events: readonly string[],
  command: readonly string[],
): boolean {
  const hooks = events.map((event) => ({ kind: 'record' as const, event, command }))
  const again = planInstall(target, text, record, hooks, 'record').text ?? ''
  const lines = (each: string) =>
    target
      .entries(each)
      .filter((entry) => entry.kind === 'record')
      .map((entry) => `${entry.event} ${entry.command}`)
      .toSorted()
  return again === text || JSON.stringify(lines(again)) === JSON.stringify(lines(text))
}

async function scriptProblems(
  agent: Agent,
  files: readonly HookFileStatus[],
  { hooks, script }: HookFolders,
): Promise<Problem[]> {
  const paver = join(hooks, 'remora-pave.mjs')
  const broken: Problem[] =
    files.some(({ paved }) => paved.length > 0) && !existsSync(paver)
      ? [
          {
            code: 'hooks_broken',
            message: `The hook that corrects calls is missing: ${paver}`,
            hint: `Run: remora pave --hook --agent ${agent.id}`,
          },
        ]
      : []
  if (!files.some(({ state }) => state === 'current') || (await isHookScript(script, agent))) return broken
  return [
    ...broken,
    {
      code: 'hooks_broken',
      message: `The hook that the agents start is missing or of another version: ${script}`,
      hint: 'Run: remora hooks install',
    },
  ]
}

function outdatedProblems(agent: Agent, files: readonly HookFileStatus[]): Problem[] {
  return files
    .filter(({ state }) => state === 'outdated')
    .map(({ file }) => ({
      code: 'hooks_outdated',
      message: `The hooks of Remora in ${file} are of another version or another place`,
      hint: `Run: remora hooks install ${agent.id}`,
    }))
}

/** Finds files with our hooks that the CLI does not read, since the user can name any file. */
async function unreadProblems(
  agent: Agent,
  place: Place,
  files: readonly { readonly file: string }[],
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { file } of files)
    if (!(await isRead(getHooks(agent), place, file)))
      problems.push({
        code: 'hooks_unread',
        message: `${agent.title} does not read ${file} by itself`,
        hint: `Its hooks run only where you hand this file to the CLI. For every session: remora hooks install ${agent.id}`,
      })
  return problems
}

/** Whether it is a file of the user, or of the project in this or a parent folder. */
async function isRead(part: HooksPart, place: Place, file: string): Promise<boolean> {
  const reads = async (cwd: string, scope: 'user' | 'project'): Promise<boolean> =>
    (await part.targets({ ...place, cwd }, scope)).some(
      (target) =>
        target.file === file ||
        (dirname(target.file) === dirname(file) && part.otherFiles?.test(basename(file)) === true),
    )
  if (await reads(place.cwd, 'user')) return true
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (await reads(folder, 'project')) return true
    if (folder === dirname(folder)) return false
  }
}
