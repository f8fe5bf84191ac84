import type { ChannelSupport, Support, VersionRange } from './support.ts'

/** What a description names, besides the support itself. */
interface SupportOptions {
  readonly title: string
  /** Only these channels; all by default. */
  readonly channels?: readonly string[]
}

/**
 * Describes what is not known to work in a version; undefined if all of it is tested or probed. Agents without a tested
 * range are described only if a probe has failed.
 *
 * @example describeSupport(support, { title: 'Claude Code' })
 * // 'Claude Code 2.1.400: newer than the tested 2.1.326 (terminal untested)'
 */
export function describeSupport(support: Support, { title, channels }: SupportOptions): string | undefined {
  const chosen = Object.entries(support.channels).filter(
    ([channel]) => channels === undefined || channels.includes(channel),
  )
  const named = (wanted: ChannelSupport): string[] =>
    chosen.filter(([, state]) => state === wanted).map(([channel]) => channel)
  const ranges = chosen.flatMap(([channel]) => support.tested[channel] ?? [])
  const untested = ranges.length === 0 ? [] : named('untested')
  const failed = named('failed')
  const parts = [
    ...(untested.length > 0 ? [`${untested.join(', ')} untested`] : []),
    ...(failed.length > 0 ? [`${failed.join(', ')} failed in its probe`] : []),
  ]
  if (parts.length === 0) return undefined
  const about = parts.join('; ')
  const distance = describeDistance(support.version, ranges)
  return `${title} ${support.version}: ${distance === undefined ? about : `${distance} (${about})`}`
}

function describeDistance(version: string, ranges: readonly VersionRange[]): string | undefined {
  const newest = ranges.map((range) => range.newest).toSorted(compareNumbers)
  const oldest = ranges.map((range) => range.oldest).toSorted(compareNumbers)
  const [first, last] = [oldest[0], newest.at(-1)]
  if (first === undefined || last === undefined) return undefined
  if (compareNumbers(version, last) > 0) return `newer than the tested ${last}`
  return compareNumbers(version, first) < 0 ? `older than the tested ${first}` : undefined
}

/** Compares versions by their numbers. */
function compareNumbers(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true })
}
