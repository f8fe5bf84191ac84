import type { AgentInfo } from '@remora/protocol/api'
import type { CSSProperties } from 'react'
import { useAgentStore } from '../state/agents.ts'
import { classNames } from './class-names.ts'

type Brand = NonNullable<AgentInfo['brand']>

/**
 * The agent by the colour and shape that the server sends, else a dot in a ring.
 *
 * @example <AgentMark agent="gemini" />
 */
export function AgentMark({ agent, className }: { readonly agent: string; readonly className?: string }) {
  const brand = useAgentStore(({ agents }) => agents?.find(({ id }) => id === agent)?.brand)
  return (
    <span
      data-agent={agent}
      style={{ '--hue': getHue(brand) } as CSSProperties}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded-lg bg-[color-mix(in_oklab,var(--hue)_14%,transparent)] text-[var(--hue)]',
        // Of two size classes the larger would win.
        !className?.includes('size-') && 'size-8',
        className,
      )}
    >
      <svg viewBox="0 0 24 24" className="size-[62%]" aria-hidden="true">
        {brand ? <BrandIcon icon={brand.icon} /> : unknownAgent}
      </svg>
    </span>
  )
}

/** The CSS color of an agent, neutral without a brand. @example getHue(brand) // 'light-dark(#3858d6, #93acff)' */
export function getHue(brand: Brand | undefined): string {
  return brand ? `light-dark(${brand.hue.light}, ${brand.hue.dark})` : 'var(--other)'
}

const unknownAgent = (
  <>
    <circle cx="12" cy="12" r="7.5" stroke="currentColor" strokeWidth="2" fill="none" />
    <circle cx="12" cy="12" r="2.5" fill="currentColor" />
  </>
)

function BrandIcon({ icon: { path, stroke } }: { readonly icon: Brand['icon'] }) {
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
