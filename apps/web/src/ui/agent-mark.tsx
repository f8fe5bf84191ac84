import type { AgentInfo } from '@remora/protocol/api'
import type { CSSProperties, ReactNode } from 'react'
import { findAgentInfo, useAgentStore } from '../state/agents.ts'
import { words } from '../words/index.ts'
import { classNames } from './class-names.ts'

/** Own drawings, known before the server answers: a spark, a sun, a knot, brackets, a ghost. */
const drawings: Record<string, ReactNode> = {
  gemini: (
    <path
      d="M12 3c.8 5.2 3.8 8.2 9 9-5.2.8-8.2 3.8-9 9-.8-5.2-3.8-8.2-9-9 5.2-.8 8.2-3.8 9-9z"
      fill="currentColor"
    />
  ),
  claude: (
    <path
      d="M12 4v16M4 12h16M6.3 6.3l11.4 11.4M17.7 6.3L6.3 17.7"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
    />
  ),
  codex: (
    <path
      d="M12 4l6.9 4v8L12 20l-6.9-4V8zM12 8.5l3.2 1.8v3.6L12 15.7l-3.2-1.8v-3.6z"
      stroke="currentColor"
      strokeWidth="1.9"
      fill="none"
      strokeLinejoin="round"
    />
  ),
  opencode: (
    <path
      d="M9 6l-5 6 5 6M15 6l5 6-5 6"
      stroke="currentColor"
      strokeWidth="2.4"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  kiro: (
    <path
      d="M6 20V11a6 6 0 0112 0v9l-3-2-3 2-3-2zM10 11v1.5M14 11v1.5"
      stroke="currentColor"
      strokeWidth="1.9"
      fill="none"
      strokeLinejoin="round"
      strokeLinecap="round"
    />
  ),
}

/** The display name of an agent. */
export function getAgentName(agent: string): string {
  if (Object.hasOwn(words.agents, agent)) return words.agents[agent]!
  return findAgentInfo(agent)?.title ?? agent
}

/**
 * The agent by colour and shape: our own drawing, else the brand that the server knows, else a dot in a ring.
 *
 * @example <AgentMark agent="gemini" />
 */
export function AgentMark({ agent, className }: { readonly agent: string; readonly className?: string }) {
  const drawing = Object.hasOwn(drawings, agent) ? drawings[agent] : undefined
  const brand = useAgentStore(({ agents }) =>
    drawing ? undefined : agents?.find(({ id }) => id === agent)?.brand,
  )
  return (
    <span
      data-agent={agent}
      style={brand && ({ '--hue': `light-dark(${brand.hue.light}, ${brand.hue.dark})` } as CSSProperties)}
      className={classNames(
        'agent-hue inline-flex shrink-0 items-center justify-center rounded-lg bg-[color-mix(in_oklab,var(--hue)_14%,transparent)] text-[var(--hue)]',
        // Of two size classes the larger would win.
        !className?.includes('size-') && 'size-8',
        className,
      )}
    >
      <svg viewBox="0 0 24 24" className="size-[62%]" aria-hidden="true">
        {drawing ?? (brand ? <BrandIcon icon={brand.icon} /> : unknownAgent)}
      </svg>
    </span>
  )
}

const unknownAgent = (
  <>
    <circle cx="12" cy="12" r="7.5" stroke="currentColor" strokeWidth="2" fill="none" />
    <circle cx="12" cy="12" r="2.5" fill="currentColor" />
  </>
)

function BrandIcon({ icon: { path, stroke } }: { readonly icon: NonNullable<AgentInfo['brand']>['icon'] }) {
  if (stroke === undefined) return <path d={path} fill="currentColor" />
  return (
    <path
      d={path}
      stroke="currentColor"
      strokeWidth={stroke}
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  )
}
