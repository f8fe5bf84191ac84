import type { LiveInfo } from '@remora/protocol'
import { classNames } from '../ui/class-names.ts'
import { CheckIcon, CrossIcon, QuestionIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

const looks: Record<LiveInfo['state'], string> = {
  starting: 'text-dim',
  idle: 'text-good',
  working: 'text-accent',
  asking: 'text-warn',
  error: 'text-bad',
  ended: 'text-dim',
}

/** The state by a sign, a colour and a word, so that any one of them is enough. */
export function StateWord({ state }: { readonly state: LiveInfo['state'] }) {
  return (
    <span className={classNames('inline-flex shrink-0 items-center gap-1 text-sm font-medium', looks[state])}>
      <Sign state={state} />
      {words.states[state]}
    </span>
  )
}

function Sign({ state }: { readonly state: LiveInfo['state'] }) {
  if (state === 'asking') return <QuestionIcon className="size-4" />
  if (state === 'error') return <CrossIcon className="size-4" />
  if (state === 'idle') return <CheckIcon className="size-4" />
  return (
    <span
      className={classNames(
        'mx-1 size-2 rounded-full bg-current',
        state !== 'ended' && 'animate-[breathe_1.4s_ease-in-out_infinite]',
      )}
    />
  )
}
