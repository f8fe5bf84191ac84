import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import type { Adoptable } from './adoptable.ts'
import { type Sessions, toSessionId } from '../sessions/merge-page.ts'
import { type Project, getProject } from '../sessions/project.ts'

/** A row of the list. */
export type ListRow =
  | { readonly kind: 'heading'; readonly id: string; readonly text: 'live' | 'pinned' | 'history' }
  | {
      readonly kind: 'live'
      readonly id: string
      readonly live: LiveInfo
      readonly entry: SessionInfo | undefined
    }
  | { readonly kind: 'adopt'; readonly id: string; readonly adoptable: Adoptable }
  | {
      readonly kind: 'project'
      readonly id: string
      readonly project: Project
      readonly count: number
      readonly isOpen: boolean
    }
  | {
      readonly kind: 'session'
      readonly id: string
      readonly entry: SessionInfo
      /** Pinned sessions are listed together and show their project. */
      readonly withProject: boolean
      readonly isFirst: boolean
      readonly isLast: boolean
    }
  | { readonly kind: 'rest'; readonly id: string; readonly project: string; readonly count: number }
  | { readonly kind: 'more'; readonly id: string }

export interface ListView {
  readonly agent: string | undefined
  /** One of several machines. */
  readonly node?: string | undefined
  readonly archived: boolean
  readonly hidden: boolean
  /** Collapsed projects. */
  readonly shut: ReadonlySet<string>
  /** Projects that show all sessions. */
  readonly whole: ReadonlySet<string>
}

export interface ListParts {
  readonly sessions: Sessions
  readonly live: readonly LiveInfo[]
  readonly adoptable: readonly Adoptable[]
  /** The connected machine, if there are several. */
  readonly here?: string | undefined
  /** Whether the server has more sessions. */
  readonly hasMore: boolean
}

/** Sessions shown per project before expanding. */
export const fewOfProject = 4

/** All rows in order: live, pinned, then history. */
export function toListRows(parts: ListParts, view: ListView): ListRow[] {
  const rows: ListRow[] = []
  const fits = ({ agent, node }: { agent: string; node?: string | { id: string } | undefined }): boolean => {
    // A session without a machine is on this one.
    const machine = (typeof node === 'object' ? node.id : node) ?? parts.here
    return (
      (view.agent === undefined || agent === view.agent) && (view.node === undefined || machine === view.node)
    )
  }
  const going = parts.live.filter((live) => live.state !== 'ended' && fits(live)).toSorted(byUrgency)
  const adoptable = parts.adoptable.filter(fits)
  if (going.length + adoptable.length > 0) rows.push({ kind: 'heading', id: 'live', text: 'live' })
  for (const live of going)
    rows.push({ kind: 'live', id: `live ${live.id}`, live, entry: parts.sessions.get(toSessionId(live)) })
  for (const each of adoptable)
    rows.push({ kind: 'adopt', id: `adopt ${each.socket} ${each.pane}`, adoptable: each })

  const isGoing = new Set(going.map(toSessionId))
  const rest = [...parts.sessions.values()]
    .filter(
      (entry) =>
        fits(entry) &&
        !isGoing.has(toSessionId(entry)) &&
        (view.hidden || !entry.hidden) &&
        (view.archived || entry.pinned || entry.archivedAt === undefined),
    )
    .toSorted(
      (left, right) => right.updatedAt - left.updatedAt || (toSessionId(left) < toSessionId(right) ? -1 : 1),
    )
  const pinned = rest.filter((entry) => entry.pinned)
  if (pinned.length > 0)
    rows.push({ kind: 'heading', id: 'pinned', text: 'pinned' }, ...sessionRows(pinned, true))

  const projects = byProject(rest.filter((entry) => !entry.pinned))
  if (projects.length > 0) rows.push({ kind: 'heading', id: 'history', text: 'history' })
  for (const { project, entries } of projects) rows.push(...projectRows(project, entries, view))
  if (parts.hasMore) rows.push({ kind: 'more', id: 'more' })
  return rows
}

/** Sessions that wait for the user come first, then working ones, then by last change. */
function byUrgency(left: LiveInfo, right: LiveInfo): number {
  const rank = ({ state, asks }: LiveInfo): number =>
    asks > 0 || state === 'asking'
      ? 0
      : state === 'error'
        ? 1
        : state === 'working' || state === 'starting'
          ? 2
          : 3
  return rank(left) - rank(right) || right.since - left.since || (left.id < right.id ? -1 : 1)
}

/** Projects by their latest session; sessions keep their order. */
export function byProject(
  entries: readonly SessionInfo[],
): { readonly project: Project; readonly entries: readonly SessionInfo[] }[] {
  const home = repositories(entries)
  const groups = new Map<string, { project: Project; entries: SessionInfo[] }>()
  for (const entry of entries) {
    const own = getProject(entry.cwd)
    const project = (own.worktree === undefined ? undefined : home.get(own.name)) ?? own
    const group = groups.get(project.id)
    if (group) group.entries.push(entry)
    else groups.set(project.id, { project, entries: [entry] })
  }
  return [...groups.values()]
}

/** Folders by name, if the name is unique. Their worktrees belong to them. */
function repositories(entries: readonly SessionInfo[]): Map<string, Project | undefined> {
  const found = new Map<string, Project | undefined>()
  for (const { cwd } of entries) {
    const project = getProject(cwd)
    if (project.worktree !== undefined || project.path === undefined) continue
    const isOnly = !found.has(project.name) || found.get(project.name)?.id === project.id
    found.set(project.name, isOnly ? project : undefined)
  }
  return found
}

function projectRows(project: Project, entries: readonly SessionInfo[], view: ListView): ListRow[] {
  const isOpen = !view.shut.has(project.id)
  const head: ListRow = {
    kind: 'project',
    id: `project ${project.id}`,
    project,
    count: entries.length,
    isOpen,
  }
  if (!isOpen) return [head]
  const isWhole = view.whole.has(project.id)
  // A row for one more session would take the space of that session.
  const isLong = entries.length > fewOfProject + 1
  const shown = isWhole || !isLong ? entries : entries.slice(0, fewOfProject)
  const rows = [head, ...sessionRows(shown, false, isLong)]
  if (isLong)
    rows.push({
      kind: 'rest',
      id: `rest ${project.id}`,
      project: project.id,
      count: entries.length - shown.length,
    })
  return rows
}

function sessionRows(entries: readonly SessionInfo[], withProject: boolean, goesOn = false): ListRow[] {
  return entries.map((entry, index) => ({
    kind: 'session',
    id: `session ${toSessionId(entry)}`,
    entry,
    withProject,
    isFirst: index === 0,
    isLast: index === entries.length - 1 && !goesOn,
  }))
}
