import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useLive } from '../state/live.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import {
  BranchIcon,
  CheckIcon,
  CrossIcon,
  FolderIcon,
  MachineIcon,
  MoreIcon,
  PinIcon,
  QuestionIcon,
  ReviewIcon,
} from '../ui/icons.tsx'
import { describeMode, useModes } from '../ui/mode-name.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { words } from '../words/index.ts'
import { getFolderName, getProject } from '../sessions/project.ts'
import { countTokens, LastMessage, SessionMeta } from '../sessions/session-meta.tsx'
import { getSessionTitle } from '../sessions/session-title.ts'
import { formatShortNumber } from '../ui/short-number.ts'
import { useLongPress } from '../ui/use-long-press.ts'
import { useMachineName } from './machines.ts'

export interface LiveRowProps {
  readonly live: LiveInfo
  readonly entry: SessionInfo | undefined
  readonly isHere: boolean
  readonly onMenu: (entry: SessionInfo | undefined, live: LiveInfo) => void
}

/** A live session. */
export const LiveRow = memo(function LiveRow({ live, entry, isHere, onMenu }: LiveRowProps) {
  const press = useLongPress(() => onMenu(entry, live), { takesRightClick: true })
  const title = getSessionTitle(entry, live)
  const tokens = entry ? countTokens(entry) : 0
  const place = live.worktree?.of ?? live.cwd
  const mode = describeMode(live, useModes(live))
  return (
    <div
      className={classNames(
        'mx-4 mb-2.5 flex rounded-card border shadow-[0_1px_2px_rgb(0_0_0/4%)]',
        live.state === 'asking' ? 'border-warn' : isHere ? 'border-accent' : 'border-line',
        isHere ? 'bg-accent-soft' : 'bg-raised',
      )}
    >
      <Link
        href={routes.session(live)}
        aria-current={isHere ? 'page' : undefined}
        {...press}
        className="flex min-w-0 flex-1 items-start gap-3 rounded-l-card py-3 pl-3 select-none [-webkit-touch-callout:none] hover:bg-sunken"
      >
        <AgentMark agent={live.agent} className="mt-0.5 size-10 rounded-xl" />
        <span className="flex min-w-0 flex-1 flex-col gap-0.5">
          <RowTitle agent={live.agent} title={title} isPinned={entry?.pinned} className="font-semibold" />
          <span className="flex items-center gap-1.5">
            {live.node?.silent ? (
              <span className="truncate text-sm font-medium text-warn">{words.machines.isOffline}</span>
            ) : (
              <>
                <StateLabel state={live.state} />
                <span className="truncate text-sm text-faint">· {formatTimeAgo(live.since)}</span>
              </>
            )}
          </span>
          <Doing live={live} entry={entry} title={title} />
          <span className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-faint">
            {live.node && (
              <Note
                icon={<MachineIcon className="size-3.5 shrink-0" />}
                hint={words.machines.on(live.node.name)}
              >
                {live.node.name}
              </Note>
            )}
            <Note icon={<FolderIcon className="size-3.5 shrink-0" />} hint={place}>
              {getFolderName(place)}
            </Note>
            {live.worktree && (
              <Note icon={<BranchIcon className="size-3.5 shrink-0" />}>{live.worktree.branch}</Note>
            )}
            {live.reviews && (
              <Note icon={<ReviewIcon className="size-3.5 shrink-0" />}>{words.sessions.review}</Note>
            )}
            {/* An agent that is starting has not reported its mode yet. */}
            {(live.mode !== undefined || live.state !== 'starting') && (
              <Note isWarning={mode.isSelfApproving}>{mode.label}</Note>
            )}
            {live.adopted && <Note>{words.sessions.adopted}</Note>}
            {live.queued > 0 && (
              <span className="rounded-full bg-accent-soft px-2 py-0.5 font-medium text-accent">
                {words.sessions.queued(live.queued)}
              </span>
            )}
            {tokens > 0 && <Note>{words.sessions.tokens(formatShortNumber(tokens))}</Note>}
          </span>
        </span>
      </Link>
      <IconButton
        label={words.sessions.menu(title)}
        onClick={() => onMenu(entry, live)}
        className="mt-1 text-faint"
      >
        <MoreIcon />
      </IconButton>
    </div>
  )
})

/** The current activity, else the last message. */
function Doing({ live, entry, title }: Pick<LiveRowProps, 'live' | 'entry'> & { readonly title: string }) {
  const frame = useLive(({ frames }) => frames.get(live.id))
  const style = 'line-clamp-2 text-sm break-words text-dim'
  const isBusy = live.state === 'working' || live.state === 'starting'
  const now =
    live.state === 'error'
      ? live.detail
      : isBusy
        ? (tail(frame?.text) ?? frame?.subject ?? live.detail)
        : undefined
  if (now)
    return (
      <span dir="auto" className={classNames(style, live.state === 'error' && 'text-bad')}>
        {now.slice(0, 300)}
      </span>
    )
  return entry ? <LastMessage entry={entry} title={title} className={style} /> : null
}

function tail(text: string | undefined): string | undefined {
  const end = text?.trim().slice(-160)
  return end === undefined || end === '' ? undefined : end.length === 160 ? `…${end}` : end
}

interface NoteProps {
  readonly icon?: ReactNode
  readonly hint?: string
  readonly isWarning?: boolean
  readonly children: string
}

function Note({ icon, hint, isWarning = false, children }: NoteProps) {
  return (
    <span
      title={hint}
      className={`flex max-w-full min-w-0 items-center gap-1 ${isWarning ? 'font-medium text-warn' : ''}`}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  )
}

const stateStyles: Record<LiveInfo['state'], string> = {
  starting: 'text-dim',
  idle: 'text-good',
  working: 'text-accent',
  asking: 'text-warn',
  error: 'text-bad',
  ended: 'text-dim',
}

/** The state as icon, colour and text. */
function StateLabel({ state }: { readonly state: LiveInfo['state'] }) {
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 items-center gap-1 text-sm font-medium',
        stateStyles[state],
      )}
    >
      <StateIcon state={state} />
      {words.states[state]}
    </span>
  )
}

function StateIcon({ state }: { readonly state: LiveInfo['state'] }) {
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

interface SessionRowProps {
  readonly entry: SessionInfo
  readonly withProject: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly isHere: boolean
  readonly onMenu: (entry: SessionInfo) => void
}

/** A past session. */
export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { entry, isFirst, isLast, isHere, onMenu } = props
  const press = useLongPress(() => onMenu(entry), { takesRightClick: true })
  const title = getSessionTitle(entry)
  const project = getProject(entry.cwd)
  const machine = useMachineName(entry.node)
  return (
    <div
      className={classNames(
        'mx-4 flex items-stretch border-x border-line',
        isFirst && 'rounded-t-card border-t',
        isLast && 'rounded-b-card border-b',
        isHere ? 'bg-accent-soft' : 'bg-raised',
      )}
    >
      <div className={classNames('flex min-w-0 flex-1', !isFirst && 'border-t border-line')}>
        <Link
          href={routes.session(entry)}
          aria-current={isHere ? 'page' : undefined}
          {...press}
          className={classNames(
            'flex min-w-0 flex-1 items-start gap-3 py-2.5 pl-3 select-none [-webkit-touch-callout:none] hover:bg-sunken',
            isFirst && 'rounded-tl-card',
            isLast && 'rounded-bl-card',
          )}
        >
          <AgentMark agent={entry.agent} className="mt-0.5" />
          <span className="flex min-w-0 flex-1 flex-col">
            <RowTitle agent={entry.agent} title={title} isPinned={entry.pinned} className="font-medium" />
            <LastMessage entry={entry} title={title} className="block truncate text-sm text-dim" />
            <span className="flex min-w-0 items-center gap-1.5">
              {machine !== undefined && (
                <span
                  title={words.machines.on(machine)}
                  className="flex max-w-[40%] shrink-0 items-center gap-1 text-xs text-faint"
                >
                  <MachineIcon className="size-3.5 shrink-0" />
                  <span className="truncate">{machine}</span>
                  <span aria-hidden="true">·</span>
                </span>
              )}
              {(props.withProject || project.worktree) && (
                <span className="flex max-w-[50%] shrink-0 items-center gap-1 text-xs text-faint">
                  {project.worktree && <BranchIcon className="size-3.5 shrink-0" />}
                  <span className="truncate">{props.withProject ? project.name : project.worktree}</span>
                  <span aria-hidden="true">·</span>
                </span>
              )}
              <SessionMeta entry={entry} />
            </span>
          </span>
        </Link>
        <IconButton
          label={words.sessions.menu(title)}
          onClick={() => onMenu(entry)}
          className="self-center text-faint"
        >
          <MoreIcon />
        </IconButton>
      </div>
    </div>
  )
})

interface RowTitleProps {
  readonly agent: string
  readonly title: string
  readonly isPinned: boolean | undefined
  readonly className: string
}

function RowTitle({ agent, title, isPinned, className }: RowTitleProps) {
  const getAgentName = useAgentNames()
  return (
    <span className="flex items-center gap-1.5">
      <span className="sr-only">{getAgentName(agent)}: </span>
      <span dir="auto" className={`min-w-0 truncate ${className}`}>
        {title}
      </span>
      {isPinned && <PinIcon className="size-3.5 shrink-0 text-faint" />}
    </span>
  )
}
