import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'
import { Card } from './card.tsx'
import type { Drawing } from './draw-chart.ts'
import { dayName, whole } from './format.ts'
import { type ChartData, totals } from './series.ts'

export interface ChartProps {
  readonly title: string
  readonly hint: string
  readonly data: ChartData
  readonly format?: (value: number) => string
}

/** Class names for the layers of the chart. */
const layers =
  '[&_.u-wrap]:relative [&_.u-over]:absolute [&_.u-under]:absolute [&_canvas]:relative [&_canvas]:block [&_canvas]:size-full [&_.u-cursor-x]:pointer-events-none [&_.u-cursor-x]:absolute [&_.u-cursor-x]:inset-y-0 [&_.u-cursor-x]:left-0 [&_.u-cursor-x]:border-r [&_.u-cursor-x]:border-dashed [&_.u-cursor-x]:border-faint [&_.u-off]:hidden [&_.u-select]:hidden [&_.u-axis]:absolute'

/** A chart over time, with a table as its accessible alternative. */
export function Chart({ title, hint, data, format = whole }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const [point, setPoint] = useState<number>()
  const [isTable, setTable] = useState(false)
  const theme = useTheme()
  const tableId = useId()
  const sums = useMemo(() => totals(data), [data])

  useEffect(() => {
    const target = place.current
    if (!target) return undefined
    let drawing: Drawing | undefined
    let isOver = false
    const observer = new ResizeObserver(() => drawing?.resize(target.clientWidth))
    import('./draw-chart.ts')
      .then(({ drawChart }) => {
        if (isOver) return
        drawing = drawChart(target, data, { format, onPoint: setPoint })
        observer.observe(target)
      })
      .catch(() => setTable(true))
    return () => {
      isOver = true
      observer.disconnect()
      drawing?.destroy()
    }
  }, [data, format, theme])

  const peak = sums.indexOf(sums.reduce((one, other) => Math.max(one, other), 0))
  const label =
    point === undefined
      ? peak === -1
        ? ''
        : words.insights.peak(dayName(data.labels[peak]!), format(sums[peak]!))
      : [
          dayName(data.labels[point] ?? ''),
          format(sums[point] ?? 0),
          ...data.series.flatMap(({ name, values }) =>
            data.series.length > 1 && (values[point] ?? 0) > 0 ? [`${name} ${format(values[point]!)}`] : [],
          ),
        ].join(' · ')
  return (
    <Card title={title} hint={hint}>
      <p className="min-h-10 text-sm text-dim lg:min-h-5">{label}</p>
      <div
        ref={place}
        aria-hidden="true"
        data-testid="chart"
        className={`w-full overflow-hidden ${layers}`}
      />
      {data.series.length > 1 && (
        <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {data.series.map(({ name, color }) => (
            <li key={name} className="flex min-w-0 items-center gap-1.5">
              <span className="size-2.5 shrink-0 rounded-sm" style={{ background: `var(${color})` }} />
              <span className="truncate">{name}</span>
            </li>
          ))}
        </ul>
      )}
      <Button
        variant="quiet"
        className="mt-1 -ml-4 text-sm"
        aria-expanded={isTable}
        aria-controls={tableId}
        onClick={() => setTable(!isTable)}
      >
        {isTable ? words.insights.hideTable : words.insights.showTable}
      </Button>
      <div id={tableId} hidden={!isTable}>
        {isTable && <Table title={title} data={data} sums={sums} format={format} />}
      </div>
    </Card>
  )
}

/** Days without values are left out. */
function Table({
  title,
  data: { labels, series },
  sums,
  format,
}: {
  readonly title: string
  readonly data: ChartData
  readonly sums: readonly number[]
  readonly format: (value: number) => string
}) {
  const rows = labels.map((label, index) => ({ label, index })).filter(({ index }) => sums[index]! > 0)
  const cell = 'px-2 py-1.5 text-right whitespace-nowrap tabular-nums'
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={words.insights.table(title)}
      className="max-h-80 overflow-auto rounded-lg border border-line"
    >
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-sunken">
          <tr>
            <th scope="col" className="px-2 py-1.5 text-left">
              {words.insights.day}
            </th>
            {series.length > 1 &&
              series.map(({ name }) => (
                <th key={name} scope="col" className={cell}>
                  {name}
                </th>
              ))}
            <th scope="col" className={cell}>
              {words.insights.total}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ label, index }) => (
            <tr key={label} className="border-t border-line">
              <th scope="row" className="px-2 py-1.5 text-left font-normal whitespace-nowrap">
                {dayName(label)}
              </th>
              {series.length > 1 &&
                series.map(({ name, values }) => (
                  <td key={name} className={cell}>
                    {format(values[index] ?? 0)}
                  </td>
                ))}
              <td className={cell}>{format(sums[index]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Charts are redrawn when the theme changes. */
function useTheme(): string {
  const root = document.documentElement
  const [theme, setTheme] = useState(root.dataset['theme'] ?? '')
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(root.dataset['theme'] ?? ''))
    observer.observe(root, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [root])
  return theme
}
