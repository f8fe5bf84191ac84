import type { Ask, LiveInfo } from '@remora/protocol'
import type { SessionKey } from '../wire/api.ts'
import { isSame, useLive, useLiveSession } from '../state/live.ts'
import { CheckIcon, CrossIcon, StopIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import type { ToolCall } from '../tool-calls/call.ts'

type Ended = 'success' | 'error' | 'denied' | 'cancelled' | 'timeout'

const stateStyles = {
  success: { Icon: CheckIcon, colour: 'text-good' },
  error: { Icon: CrossIcon, colour: 'text-bad' },
  denied: { Icon: StopIcon, colour: 'text-warn' },
  cancelled: { Icon: StopIcon, colour: 'text-dim' },
  timeout: { Icon: CrossIcon, colour: 'text-warn' },
} as const

/** The state of a call as icon, text and colour. */
export function ToolState({ call, session }: { readonly call: ToolCall; readonly session: SessionKey }) {
  const status = call.result?.status
  if (status === undefined) return <OpenState call={call} session={session} />
  const known: Ended = Object.hasOwn(stateStyles, status) ? status : 'error'
  const { Icon, colour } = stateStyles[known]
  const word = words.tools.states[known]
  // A successful call shows only its mark and duration.
  const shown = known === 'success' ? took(call) : word
  return (
    <span className={`flex shrink-0 items-center gap-1 text-xs ${colour}`}>
      {shown !== undefined && <span className={known === 'success' ? 'text-faint' : ''}>{shown}</span>}
      <Icon className="size-4" />
      {known === 'success' && <span className="sr-only">{word}</span>}
    </span>
  )
}

function OpenState({ call, session }: { readonly call: ToolCall; readonly session: SessionKey }) {
  const isAsked = useLive(({ asks }) =>
    asks.some((each) => isSame(each, session) && !each.settled && isAbout(each.ask, call)),
  )
  const state = openState(useLiveSession(session), isAsked)
  const colour = state === 'waiting' ? 'text-warn' : state === 'running' ? 'text-accent' : 'text-faint'
  return (
    <span className={`flex shrink-0 items-center gap-1.5 text-xs ${colour}`}>
      {words.tools.states[state]}
      {state !== 'open' && (
        <span className="size-2 animate-[breathe_1.2s_infinite] rounded-full bg-current" />
      )}
    </span>
  )
}

/** A call without a result waits for the user only if a request is about it, and runs only while its session works. */
export function openState(
  live: Pick<LiveInfo, 'state'> | undefined,
  isAsked: boolean,
): 'running' | 'waiting' | 'open' {
  if (live?.state === 'asking') return isAsked ? 'waiting' : 'open'
  return live?.state === 'working' || live?.state === 'starting' ? 'running' : 'open'
}

/** The input fields that distinguish two calls of a tool. */
const distinguishing = ['command', 'file_path', 'url', 'pattern', 'query'] as const

/** Whether a request is about this call: by the id of the call, or else by its tool and input. */
export function isAbout(ask: Pick<Ask, 'toolUse' | 'tool' | 'input'>, { use }: ToolCall): boolean {
  if (!use) return false
  if (ask.toolUse !== undefined) return ask.toolUse === use.id
  if (ask.tool !== use.name) return false
  const [asked, called] = [ask.input, use.input].map((input) => (input ?? {}) as Record<string, unknown>)
  return distinguishing.some((name) => asked![name] !== undefined && asked![name] === called![name])
}

/** The duration, if it is worth showing. */
export function took({ use, result }: ToolCall): string | undefined {
  const ms = (result?.endedAt ?? Number.NaN) - (use?.startedAt ?? Number.NaN)
  if (!(ms >= 100) || ms > 86_400_000) return undefined
  const seconds = ms / 1_000
  if (seconds < 60) return words.tools.seconds(seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0))
  return words.tools.minutes(Math.floor(seconds / 60), Math.round(seconds % 60))
}
