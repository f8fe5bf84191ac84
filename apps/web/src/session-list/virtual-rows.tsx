import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'
import type { ListRow } from './list-rows.ts'
import { type Filter, moreSessions, useSessionList } from '../sessions/session-list.ts'
import { AdoptRow, HeadingRow, ProjectRow, RestRow } from './small-rows.tsx'
import { LiveRow, SessionRow } from './session-rows.tsx'

const heights: Record<ListRow['kind'], number> = {
  heading: 44,
  live: 126,
  adopt: 66,
  project: 48,
  session: 76,
  rest: 45,
  more: 72,
}

export interface VirtualRowsProps {
  readonly rows: readonly ListRow[]
  readonly filter: Filter
  readonly onMenu: (entry: SessionInfo | undefined, live?: LiveInfo) => void
}

/** A virtualized list. */
export function VirtualRows({ rows, filter, onMenu }: VirtualRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [path] = useLocation()
  const most = useGradualCount(rows.length, { step: 3, enough: 24 })
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[rows[index]!.kind],
    getItemKey: (index) => rows[index]!.id,
    overscan: 8,
    rangeExtractor: useCallback((range: Range) => defaultRangeExtractor(range).slice(0, most), [most]),
    // The list has no height while it is hidden beside a conversation.
    initialRect: { width: 390, height: 844 },
  })
  return (
    <div
      ref={scroller}
      data-testid="sessions"
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-4"
    >
      <ul
        aria-label={words.sessions.list}
        className="relative"
        style={{ height: `${virtual.getTotalSize()}px` }}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]!
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row row={row} path={path} filter={filter} onMenu={onMenu} />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface RowProps {
  readonly row: ListRow
  readonly path: string
  readonly filter: Filter
  readonly onMenu: VirtualRowsProps['onMenu']
}

function Row({ row, path, filter, onMenu }: RowProps) {
  switch (row.kind) {
    case 'heading':
      return <HeadingRow text={row.text} />
    case 'live':
      return <LiveRow live={row.live} entry={row.entry} isHere={isAt(path, row.live)} onMenu={onMenu} />
    case 'adopt':
      return <AdoptRow adoptable={row.adoptable} />
    case 'project':
      return <ProjectRow project={row.project} count={row.count} isOpen={row.isOpen} />
    case 'session':
      return (
        <SessionRow
          entry={row.entry}
          withProject={row.withProject}
          isFirst={row.isFirst}
          isLast={row.isLast}
          isHere={isAt(path, row.entry)}
          onMenu={onMenu}
        />
      )
    case 'rest':
      return <RestRow project={row.project} count={row.count} />
    default:
      return <MoreRow filter={filter} />
  }
}

function isAt(path: string, key: { readonly agent: string; readonly session: string }): boolean {
  const own = routes.session(key)
  return path === own || path.startsWith(`${own}/`)
}

/** Earlier sessions belong to many projects, so they load on request. */
function MoreRow({ filter }: { readonly filter: Filter }) {
  const isLoading = useSessionList((list) => list.isLoading)
  return (
    <div className="flex justify-center p-4">
      <Button disabled={isLoading} onClick={() => void moreSessions(filter)}>
        {words.sessions.showMore}
      </Button>
    </div>
  )
}

/**
 * How many rows may be drawn: none at first, then a few per task until `enough`, then all, so that input stays
 * responsive.
 *
 * @example const most = useGradualCount(rows.length, { step: 3, enough: 24 })
 */
function useGradualCount(
  count: number,
  { step, enough }: { readonly step: number; readonly enough: number },
): number {
  const [most, setMost] = useState(0)
  const isMore = count > most
  useEffect(() => {
    if (!isMore) return undefined
    const timer = setTimeout(() => setMost(most + step >= enough ? Infinity : most + step))
    return () => clearTimeout(timer)
  }, [isMore, most, step, enough])
  return most
}
