import type { ReactNode } from 'react'
import { toAgentName, useAgentStore } from '../state/agents.ts'
import { AgentMark, getHue } from '../ui/agent-mark.tsx'
import { projectName } from './format.ts'

export interface Bar {
  readonly key: string
  readonly name: ReactNode
  /** The full name, where the label is shortened. */
  readonly title?: string
  readonly mark?: ReactNode
  readonly value: number
  readonly label: string
  /** A CSS color. */
  readonly color?: string
}

/** A ranking as bars on one scale. */
export function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  const most = bars.reduce((one, { value }) => Math.max(one, value), 0)
  return (
    <ol className="mt-3 flex flex-col gap-3">
      {bars.map(({ key, name, title, mark, value, label, color }) => (
        <li key={key} className="flex items-center gap-3" title={title}>
          {mark}
          <div className="min-w-0 flex-1">
            <p className="flex items-baseline gap-2">
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <span className="shrink-0 text-sm text-dim tabular-nums">{label}</span>
            </p>
            <BarLine value={value} most={most} color={color} />
          </div>
        </li>
      ))}
    </ol>
  )
}

export function BarLine({
  value,
  most,
  color = 'var(--chart-1)',
}: {
  readonly value: number
  readonly most: number
  readonly color?: string
}) {
  const share = most > 0 ? Math.max(value > 0 ? 1 : 0, (value / most) * 100) : 0
  return (
    <span aria-hidden="true" className="mt-1 block h-1.5 overflow-hidden rounded-full bg-sunken">
      <span className="block h-full rounded-full" style={{ width: `${share}%`, background: color }} />
    </span>
  )
}

/** Makes bars with the name and in the colour of an agent. @example const toBar = useAgentBars() */
export function useAgentBars(): (agent: string, value: number, label: string) => Bar {
  const agents = useAgentStore((store) => store.agents)
  return (id, value, label) => {
    const agent = agents?.find((each) => each.id === id)
    return {
      key: id,
      name: toAgentName(agent, id),
      mark: <AgentMark agent={id} className="size-7" />,
      value,
      label,
      color: getHue(agent?.brand),
    }
  }
}

/** A bar labelled with the last part of the project folder. */
export function projectBar(folder: string, value: number, label: string): Bar {
  return { key: folder, name: projectName(folder), title: folder, value, label }
}
