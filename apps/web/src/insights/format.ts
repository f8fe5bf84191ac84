import { words } from '../words/index.ts'

/** @example whole(12345) // '12,345' */
export function whole(count: number): string {
  return count.toLocaleString(words.language)
}

/** Abbreviates a large number. @example short(1_234_567) // '1.2M' */
export function short(count: number): string {
  return count.toLocaleString(words.language, { notation: 'compact', maximumFractionDigits: 1 })
}

/** @example percent(1, 3) // '33 %' */
export function percent(part: number, all: number): string {
  const share = all === 0 ? 0 : (part / all) * 100
  return words.insights.percent(share > 0 && share < 10 ? share.toFixed(1) : String(Math.round(share)))
}

/** @example dollars(0.0012) // '$0.0012' */
export function dollars(cost: number): string {
  const digits = cost > 0 && cost < 0.1 ? 4 : 2
  return cost.toLocaleString(words.language, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: cost === 0 ? 0 : digits,
    maximumFractionDigits: digits,
  })
}

/** @example dayName('2026-11-03') // 'Nov 3' */
export function dayName(day: string): string {
  const at = Date.parse(day)
  if (!Number.isFinite(at)) return day
  return new Date(at).toLocaleDateString(words.language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

/** The last part of a project folder. @example projectName('/home/me/shop') // 'shop' */
export function projectName(folder: string): string {
  return folder.split(/[/\\]/).findLast(Boolean) ?? words.insights.unknownProject
}

/** The label of an error class. */
export function className(kind: string): string {
  return words.insights.classes[kind] ?? kind
}

/** The title of a desire path. */
export function pathTitle(path: {
  readonly class: string
  readonly tool: string
  readonly detail?: string | undefined
}): string {
  const say = words.insights.pathTitles[path.class] ?? words.insights.pathTitles['other']!
  return say(path.tool, path.detail)
}
