import { create } from 'zustand'
import { local } from '../state/local.ts'
import type { ListView } from './list-rows.ts'

interface Remembered {
  readonly archived?: boolean
  readonly hidden?: boolean
  readonly shut?: readonly string[]
}

const name = 'sessions-view'
const { archived = true, hidden = false, shut = [] } = local.read<Remembered>(name) ?? {}

/** The view of the list. The agent filter is not stored, because it would hide today's sessions tomorrow. */
export const useListView = create<ListView>(() => ({
  agent: undefined,
  node: undefined,
  archived,
  hidden,
  shut: new Set(shut),
  whole: new Set(),
}))

useListView.subscribe((view) => {
  local.write(name, { archived: view.archived, hidden: view.hidden, shut: [...view.shut].slice(-200) })
})

export function toggleShut(project: string): void {
  useListView.setState(({ shut: before }) => ({ shut: toggled(before, project) }))
}

export function toggleWhole(project: string): void {
  useListView.setState(({ whole }) => ({ whole: toggled(whole, project) }))
}

function toggled(set: ReadonlySet<string>, each: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(each)) next.add(each)
  return next
}
