import type { AskOption } from '@remora/protocol'
import { classNames } from '../ui/class-names.ts'
import { CheckIcon, CrossIcon, RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { MarkedText } from '../ui/marked-text.tsx'
import type { Guard } from './use-tap-guard.ts'

const effectStyles: Record<string, string> = {
  allow: 'bg-accent text-on-accent border-accent',
  allow_always: 'bg-warn-soft text-warn border-warn',
  deny: 'bg-raised text-bad border-bad',
  deny_always: 'bg-bad text-on-bad border-bad',
  other: 'bg-raised text-ink border-line',
}

export interface AskOptionsProps {
  readonly options: readonly AskOption[]
  readonly guard: Guard
  readonly isInert: boolean
  /** The option that is being sent. */
  readonly sent: string | undefined
  readonly onChoose: (option: AskOption) => void
}

/** The agent's own options, each large enough for a thumb. */
export function AskOptions({ options, guard, isInert, sent, onChoose }: AskOptionsProps) {
  const isOff = isInert || !guard.isReady
  return options.map((option) => {
    const { id, label, effect } = option
    const hint = words.asks.effects[effect]
    return (
      <button
        key={id}
        type="button"
        data-effect={effect}
        aria-disabled={isOff}
        onPointerDown={guard.onPointerDown}
        onClick={(event) => {
          if (guard.isMeant(event) && !isInert) onChoose(option)
        }}
        className={classNames(
          'flex min-h-14 w-full min-w-0 items-center gap-3 rounded-2xl border px-4 py-2 text-left font-semibold transition-opacity select-none',
          effectStyles[effect] ?? effectStyles['other'],
          isOff && 'cursor-default opacity-55',
        )}
      >
        <Mark effect={effect} />
        <span className="min-w-0 flex-1">
          <bdi className="block break-words [overflow-wrap:anywhere]">
            {sent === id ? words.asks.sending : <MarkedText text={label === '' ? id : label} />}
          </bdi>
          {hint && hint.toLowerCase() !== label.toLowerCase() && (
            <span className="block text-sm font-normal">{hint}</span>
          )}
        </span>
      </button>
    )
  })
}

function Mark({ effect }: { readonly effect: AskOption['effect'] }) {
  if (effect === 'allow' || effect === 'allow_always') return <CheckIcon className="size-6 shrink-0" />
  if (effect === 'deny' || effect === 'deny_always') return <CrossIcon className="size-6 shrink-0" />
  return <RightIcon className="size-5 shrink-0 text-dim" />
}

interface GroupedOptions {
  readonly allow: readonly AskOption[]
  readonly other: readonly AskOption[]
  readonly deny: readonly AskOption[]
}

/** Groups options by effect: each group keeps the order of the agent, with one-time options before permanent ones. */
export function groupOptions(options: readonly AskOption[]): GroupedOptions {
  const of = (...effects: AskOption['effect'][]): AskOption[] =>
    effects.flatMap((effect) => options.filter((option) => option.effect === effect))
  const allow = of('allow', 'allow_always')
  const deny = of('deny', 'deny_always')
  return { allow, deny, other: options.filter((option) => !allow.includes(option) && !deny.includes(option)) }
}
