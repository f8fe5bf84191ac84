import uPlot from 'uplot'
import { dayName } from './format.ts'
import type { ChartData } from './series.ts'

export interface Drawing {
  resize(width: number): void
  destroy(): void
}

const height = 190

/** Draws stacked bars in the colours of the theme. */
export function drawChart(
  target: HTMLElement,
  { labels, series }: ChartData,
  {
    format,
    onPoint,
  }: {
    readonly format: (value: number) => string
    /** Called with the label under the pointer. */
    readonly onPoint: (index: number | undefined) => void
  },
): Drawing {
  const style = getComputedStyle(target)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  // Each bar includes those below it. The highest is drawn first, so that the others cover it.
  const sums = labels.map(() => 0)
  const layers = series.map(({ values }) => values.map((value, index) => (sums[index]! += value)))
  const font = `12px ${style.fontFamily}`
  const axis = { stroke: color('--dim'), font, ticks: { show: false } }
  const chart = new uPlot(
    {
      width: Math.max(120, target.clientWidth),
      height,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: () => [-0.6, labels.length - 0.4] },
        y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          grid: { show: false },
          space: 64,
          splits: (_, __, least, most, step) =>
            splits(least, most, Math.max(1, Math.ceil(step)), labels.length),
          values: (_, all) => all.map((index) => dayName(labels[index] ?? '')),
        },
        {
          ...axis,
          size: 48,
          space: 36,
          grid: { stroke: color('--line'), width: 1 },
          values: (_, all) =>
            all.map((value) => (Number.isInteger(value) || value > 10 ? format(value) : '')),
        },
      ],
      series: [
        {},
        ...series.toReversed().map((each) => ({
          label: each.name,
          fill: color(each.color),
          stroke: color(each.color),
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars!({ size: [0.72, 28] }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [labels.map((_, index) => index), ...layers.toReversed()],
    target,
  )
  return {
    resize: (width) => chart.setSize({ width: Math.max(120, width), height }),
    destroy: () => chart.destroy(),
  }
}

/** Integer positions only, counted from the last label. */
function splits(least: number, most: number, step: number, count: number): number[] {
  const found: number[] = []
  for (let at = count - 1; at >= Math.max(0, least); at -= step) if (at <= most) found.unshift(at)
  return found
}
