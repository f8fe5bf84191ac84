import { create } from 'zustand'
import { local } from '../state/local.ts'

/** The stored filters. */
export interface Filters {
  readonly agent: string
  readonly project: string
  /** 0 is all time. */
  readonly days: number
}

export const spans = [7, 30, 90, 0] as const

const usual: Filters = { agent: '', project: '', days: 30 }

export const useFilters = create<Filters>(() => ({ ...usual, ...local.read<Filters>('insights') }))

useFilters.subscribe((filters) => local.write('insights', filters))

/** The query parameters. Days start at midnight, so that equal filters give equal queries for a while. */
export function toQuery({ agent, project, days }: Filters, now = new Date()) {
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1))
  return {
    agent: agent || undefined,
    cwd: project || undefined,
    since: days === 0 ? undefined : start.getTime(),
  }
}

/** The first and last day of the filter in local time. */
export function getSpan({ days }: Filters, now = new Date()): { from?: string; to: string } {
  const getDay = (back: number): string => {
    const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
    const two = (part: number): string => String(part).padStart(2, '0')
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  }
  return { to: getDay(0), from: days === 0 ? undefined : getDay(days - 1) }
}

/** The offset of this device from UTC in minutes. */
export function utcOffset(): number {
  return -new Date().getTimezoneOffset()
}
