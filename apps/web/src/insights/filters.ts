import { create } from 'zustand'
import { local } from '../state/local.ts'

/** What somebody wants to see; it stays so. */
export interface Filters {
  readonly agent: string
  readonly project: string
  /** 0 is all of the time. */
  readonly days: number
}

export const spans = [7, 30, 90, 0] as const

const usual: Filters = { agent: '', project: '', days: 30 }

export const useFilters = create<Filters>(() => ({ ...usual, ...local.read<Filters>('insights') }))

useFilters.subscribe((filters) => local.write('insights', filters))

/** As the server is asked. Days begin at midnight, so that the same question has the same answer for a while. */
export function toQuery({ agent, project, days }: Filters, now = new Date()) {
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1))
  return {
    agent: agent || undefined,
    cwd: project || undefined,
    since: days === 0 ? undefined : start.getTime(),
  }
}

/** The first and the last day of what was chosen, as this device counts days. */
export function getSpan({ days }: Filters, now = new Date()): { from?: string; to: string } {
  const getDay = (back: number): string => {
    const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
    const two = (part: number): string => String(part).padStart(2, '0')
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  }
  return { to: getDay(0), ...(days === 0 ? {} : { from: getDay(days - 1) }) }
}

/** Minutes that this device is ahead of UTC. */
export function utcOffset(): number {
  return -new Date().getTimezoneOffset()
}
