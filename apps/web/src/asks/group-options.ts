import type { AskOption } from '@remora/protocol'

export interface GroupedOptions {
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
