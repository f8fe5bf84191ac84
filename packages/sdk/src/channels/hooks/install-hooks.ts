import { mkdir, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type {
  Agent,
  HookKind,
  HookScope,
  HookTarget,
  HooksPart,
  OurHook,
  Place,
} from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { editOrDelete, readText, refuseReadOnly } from '../../files/settings-file.ts'
import {
  type HookFolders,
  absolute,
  hookFolders,
  inFile,
  missingFolders,
  removeEmpty,
  removeUnused,
  withHooksLock,
  writeHookScript,
} from './install-files.ts'
import { type Plan, planInstall } from './install-plan.ts'
import { type InstallRecord, deleteRecord, findRecord, saveRecord, readRecords } from './install-record.ts'

/** Which hooks to install, and where. */
export interface InstallOptions {
  readonly place: Place
  /** The state folder. */
  readonly remoraHome: string
  /** For the user by default. */
  readonly scope?: HookScope
  /** The events; by default the usual ones, and for the kind `pave` those before a tool call. */
  readonly events?: readonly string[]
  readonly kind?: HookKind
  /** The command and its arguments; required for the kind `pave`. */
  readonly command?: readonly string[]
}

/** A settings file that contains our hooks. */
export interface InstalledFile {
  readonly file: string
  /** Whether the file was changed. */
  readonly changed: boolean
}

/** The result of installing hooks. */
export interface Installed {
  readonly agent: string
  readonly kind: HookKind
  /** The installed events. An event that no file of the scope supports is left out. */
  readonly events: readonly string[]
  /** The files with hooks of this kind. */
  readonly files: readonly InstalledFile[]
}

/**
 * Adds our hooks to the settings of a CLI and keeps all other bytes. Either all files are changed or none. Installing again
 * updates older hooks of ours.
 *
 * @example await installHooks(findAgent('gemini')!, { place, remoraHome: '/home/me/.remora' })
 */
export async function installHooks(agent: Agent, options: InstallOptions): Promise<Installed> {
  const { place, kind = 'record' } = options
  const scope = absolute(options.scope ?? 'user', place)
  const part = getHooks(agent)
  const folders = hookFolders(resolve(options.remoraHome))
  const events = eventsFor(agent, part, kind, options.events)
  const command = options.command ?? (kind === 'record' ? [folders.script, agent.id] : undefined)
  if (command === undefined) throw new RemoraError('usage', 'A hook of the kind pave needs a command')
  const hooks = events.map((event): OurHook => ({ kind, event, command }))
  const targets = await part.targets(place, scope)
  // Check all files first, so that an unreadable or read-only file stops the install.
  const possible: string[] = []
  for (const target of targets) {
    const { plan, changed } = await planned(target, folders, hooks, kind)
    if (changed) await refuseReadOnly(target.file)
    possible.push(...eventsIn(target, plan.text, kind))
  }
  if (!events.some((event) => possible.includes(event)))
    throw new RemoraError('usage', `${agent.title} can be told no hook there for ${events.join(', ')}`, {
      hint: `In ${targets.map(({ file }) => file).join(', ')} there is no place for it, or somebody else has it.`,
    })
  return withHooksLock(folders, async () => {
    await mkdir(folders.hooks, { recursive: true, mode: 0o700 })
    if (kind === 'record') await writeHookScript(folders, agent)
    const done = await applyAll(targets, folders, hooks, kind, (target) => ({
      agent: agent.id,
      file: target.file,
      scope,
      cwd: place.cwd,
    }))
    const written = new Set(done.flatMap((each) => each.events))
    return {
      agent: agent.id,
      kind,
      events: events.filter((event) => written.has(event)),
      files: done
        .filter((each) => each.changed || each.events.length > 0)
        .map(({ file, changed }) => ({ file, changed })),
    }
  })
}

/** Returns the hooks part of an agent, or throws `unsupported`. */
export function getHooks(agent: Agent): HooksPart {
  if (agent.hooks) return agent.hooks
  throw new RemoraError('unsupported', `${agent.title} has no hooks`, {
    hint: 'Its sessions are read from its transcripts: remora import',
  })
}

function eventsFor(
  agent: Agent,
  part: HooksPart,
  kind: HookKind,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const known = kind === 'pave' ? part.gates : part.events
  if (known.length === 0)
    throw new RemoraError('unsupported', `${agent.title} has no hook that could correct a call`)
  const events = [...new Set(wanted ?? (kind === 'pave' ? part.gates : part.defaultEvents))]
  const unknown = events.find((event) => !known.includes(event))
  if (unknown === undefined && events.length > 0) return events
  throw new RemoraError(
    'usage',
    unknown === undefined ? 'No event was named' : `${agent.title} has no hook event "${unknown}"`,
    { hint: `One or more of: ${known.join(', ')}` },
  )
}

async function planned(
  target: HookTarget,
  { installed }: HookFolders,
  hooks: readonly OurHook[],
  kind: HookKind,
): Promise<{ plan: Plan; changed: boolean }> {
  const text = await readText(target.file)
  const plan = inFile(target.file, () =>
    planInstall(target, text, findRecord(installed, target.file), hooks, kind),
  )
  return { plan, changed: plan.text !== text }
}

/** Describes a file with its installed events of this kind. */
type Applied = InstalledFile & { readonly events: readonly string[] }

function eventsIn(target: HookTarget, text: string | undefined, kind: HookKind): string[] {
  const ours = target.entries(text ?? '').filter((entry) => entry.kind === kind)
  return ours.map(({ event }) => event)
}

type About = Pick<InstallRecord, 'agent' | 'file' | 'scope' | 'cwd'>

async function applyAll(
  targets: readonly HookTarget[],
  folders: HookFolders,
  hooks: readonly OurHook[],
  kind: HookKind,
  about: (target: HookTarget) => About,
): Promise<Applied[]> {
  const undo: (() => Promise<void>)[] = []
  const files: Applied[] = []
  try {
    for (const target of targets) {
      const apply = applying(target, folders, hooks, kind, about(target))
      undo.unshift(apply.undo)
      files.push({ file: target.file, ...(await apply.run()) })
    }
    return files
  } catch (error) {
    for (const back of undo) await back().catch(() => {})
    await removeUnused(folders)
    throw error
  }
}

/** Changes one file. Returns the function that undoes it if another file fails. */
function applying(
  target: HookTarget,
  { installed }: HookFolders,
  hooks: readonly OurHook[],
  kind: HookKind,
  about: About,
): { run(): Promise<Omit<Applied, 'file'>>; undo(): Promise<void> } {
  const { file } = target
  const record = findRecord(installed, file)
  let before: string | undefined
  let after: string | undefined
  let made: readonly string[] = []
  return {
    async run() {
      made = await missingFolders(file)
      const existed = (await stat(file).catch(() => undefined)) !== undefined
      // Not every event belongs to every file.
      if (!existed && planInstall(target, undefined, record, hooks, kind).text === undefined)
        return { changed: false, events: [] }
      await editOrDelete(file, (text) => {
        before = existed || text !== '' ? text : undefined
        const plan = planInstall(target, before, record, hooks, kind)
        after = plan.text
        // Save the record before the change, so that a crash in between does no harm.
        if (plan.hooks.length === 0) deleteRecord(installed, file)
        else
          saveRecord(installed, {
            ...about,
            existed: plan.existed,
            ...getOriginal(record, before),
            folders: plan.existed ? [] : before === undefined ? made : (record?.folders ?? []),
            before: plan.before,
            after: computeDigest(plan.text ?? ''),
            hooks: plan.hooks,
          })
        return plan.text
      })
      return { changed: after !== before, events: eventsIn(target, after, kind) }
    },
    async undo() {
      if (record) saveRecord(installed, record)
      else deleteRecord(installed, file)
      if (after !== before && (await readText(file)) === after)
        await editOrDelete(file, (text) => (text === after ? before : text))
      await removeEmpty(made)
    },
  }
}

/** The original is the text before the first install. */
function getOriginal(record: InstallRecord | undefined, before: string | undefined): { original?: string } {
  const original = record ? record.original : before === undefined ? undefined : computeDigest(before)
  return original === undefined ? {} : { original }
}

/**
 * Lists the files that may contain our hooks: those of a scope, or the recorded ones and those of the user and the project,
 * without duplicates.
 */
export async function hookTargets(
  agent: Agent,
  place: Place,
  { installed }: HookFolders,
  scope: HookScope | undefined,
): Promise<HookTarget[]> {
  const part = getHooks(agent)
  if (scope !== undefined) return part.targets(place, scope)
  const found = new Map<string, HookTarget>()
  const add = (targets: readonly HookTarget[]) => {
    for (const target of targets) if (!found.has(target.file)) found.set(target.file, target)
  }
  add(await part.targets(place, 'user'))
  add(await part.targets(place, 'project'))
  for (const record of readRecords(installed)) {
    if (record.agent !== agent.id || found.has(record.file)) continue
    add((await part.targets({ ...place, cwd: record.cwd }, record.scope)).filter(isAt(record.file)))
    if (!found.has(record.file))
      add((await part.targets(place, { file: record.file })).filter(isAt(record.file)))
  }
  return [...found.values()]
}

const isAt = (file: string) => (target: HookTarget) => target.file === file
