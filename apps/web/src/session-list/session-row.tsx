import type { SessionInfo } from '@remora/protocol/api'
import { memo } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { AgentMark, getAgentName } from '../ui/agent-mark.tsx'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { BranchIcon, MachineIcon, MoreIcon, PinIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { useMachineName } from './machines.ts'
import { getProject } from '../sessions/project.ts'
import { LastMessage, SessionMeta } from '../sessions/session-meta.tsx'
import { getSessionTitle } from '../sessions/session-title.ts'
import { useLongPress } from '../ui/use-long-press.ts'

export interface SessionRowProps {
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
            <span className="flex items-center gap-1.5">
              <span className="sr-only">{getAgentName(entry.agent)}: </span>
              <span dir="auto" className="min-w-0 truncate font-medium">
                {title}
              </span>
              {entry.pinned && <PinIcon className="size-3.5 shrink-0 text-faint" />}
            </span>
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
