import { useState } from 'react'
import { local } from '../state/local.ts'
import { IconButton } from '../ui/button.tsx'
import { WrapIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

/** Whether long lines wrap, as stored on this device. */
export function useWraps(): [wraps: boolean, setWraps: (wraps: boolean) => void] {
  const [wraps, setWraps] = useState(() => local.read<boolean>('wrap') ?? true)
  const choose = (next: boolean): void => {
    setWraps(next)
    local.write('wrap', next)
  }
  return [wraps, choose]
}

export interface WrapButtonProps {
  readonly wraps: boolean
  readonly onChange: (wraps: boolean) => void
}

export function WrapButton({ wraps, onChange }: WrapButtonProps) {
  return (
    <IconButton
      label={words.changes.wrap}
      aria-pressed={wraps}
      className={wraps ? 'text-accent!' : ''}
      onClick={() => onChange(!wraps)}
    >
      <WrapIcon />
    </IconButton>
  )
}
