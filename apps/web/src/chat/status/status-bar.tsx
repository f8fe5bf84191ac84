import type { CommandBody, LiveInfo } from '@remora/protocol'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { client } from '../../state/client.ts'
import { useConnection, useIsViewer } from '../../state/connection.ts'
import { useLive } from '../../state/live.ts'
import { ModeName } from '../../ui/mode-name.tsx'
import { useTimeline } from '../../state/timeline.ts'
import { toastError } from '../../state/toasts.ts'
import { formatShortNumber } from '../../ui/short-number.ts'
import type { SessionKey } from '../../wire/api.ts'
import { Button } from '../../ui/button.tsx'
import { DownIcon, StopIcon } from '../../ui/icons.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { words } from '../../words/index.ts'
import { TodoBody } from '../../tool-cards/bodies.tsx'
import { ModelSheet, ModeSheet } from './choice-sheets.tsx'
import { type ContextLeft, getCurrentTodos, getUnknownState, useContextLeft } from './status-values.ts'

type Open = 'todos' | 'mode' | 'model' | 'context'

const dots: Record<LiveInfo['state'], string> = {
  starting: 'bg-accent animate-[breathe_1.2s_infinite]',
  idle: 'bg-good',
  working: 'bg-accent animate-[breathe_1.2s_infinite]',
  asking: 'bg-warn',
  error: 'bg-bad',
  ended: 'bg-faint',
}

/** The state, mode, model and context of the agent, with a button to interrupt it. */
export function StatusBar({
  session,
  live,
}: {
  readonly session: SessionKey
  readonly live: LiveInfo | undefined
}) {
  if (!live || live.state === 'ended') return null
  return <LiveStatus session={session} live={live} />
}

function LiveStatus({ session, live }: { readonly session: SessionKey; readonly live: LiveInfo }) {
  const subject = useLive(({ frames }) => frames.get(live.id)?.subject)
  const context = useContextLeft(session)
  const { messages } = useTimeline(session)
  const todos = useMemo(() => getCurrentTodos(messages), [messages])
  const [open, setOpen] = useState<Open>()
  const [wantedMode, wantMode] = usePendingChoice(live.mode)
  const [wantedModel, wantModel] = usePendingChoice(live.model)
  const { state } = live
  const isWorking = state === 'working'
  const isViewer = useIsViewer()
  const target = { agent: live.agent, session: live.session }
  const give = (body: Exclude<CommandBody, { kind: 'prompt' }>, undo?: () => void): void => {
    setOpen(undefined)
    client.command(target, body).catch((error: unknown) => {
      undo?.()
      toastError(error)
    })
  }
  useEscape(isWorking && !isViewer, () => give({ kind: 'cancel' }))
  const isOnline = useConnection((connection) => connection.state === 'online')
  const silent = getUnknownState(live, isOnline)
  const detail =
    silent !== undefined
      ? silent
      : isWorking
        ? (subject ?? live.detail)
        : state === 'error'
          ? live.detail
          : undefined
  const model = wantedModel ?? live.model
  return (
    <div
      role="group"
      aria-label={words.status.label}
      data-testid="status"
      className="border-t border-line bg-raised"
    >
      <div className="mx-auto flex w-full max-w-4xl items-center pr-2">
        <div className="flex min-w-0 flex-1 items-center gap-0.5 overflow-x-auto pl-4 [scrollbar-width:none]">
          <p role="status" className="flex min-w-20 flex-1 shrink-0 items-center gap-2 text-sm">
            <span
              className={`size-2 shrink-0 rounded-full ${silent === undefined ? dots[state] : 'bg-faint'}`}
            />
            <span
              className={`truncate ${silent !== undefined ? 'text-warn' : state === 'error' ? 'text-bad' : ''}`}
              title={detail}
            >
              {detail ?? words.states[state]}
            </span>
          </p>
          {todos && (
            <Chip label={words.tools.names['TodoWrite']!} onClick={() => setOpen('todos')}>
              {words.status.todos(todos.done, todos.all)}
            </Chip>
          )}
          <Chip
            label={words.status.mode}
            isPending={wantedMode !== undefined}
            onClick={isViewer ? undefined : () => setOpen('mode')}
          >
            <ModeName
              live={wantedMode === undefined ? live : { ...live, mode: wantedMode, modeInfo: undefined }}
            />
          </Chip>
          <Chip
            label={words.status.model}
            isPending={wantedModel !== undefined}
            onClick={isViewer ? undefined : () => setOpen('model')}
          >
            {model ?? words.status.noModel}
          </Chip>
          {context && (
            <Chip label={words.status.contextTitle} onClick={() => setOpen('context')}>
              <span className={context.percent < 15 ? 'text-warn' : ''}>
                {words.status.context(context.percent)}
              </span>
            </Chip>
          )}
          {live.queued > 0 && (
            <span className="shrink-0 px-2 text-sm text-dim">{words.status.queued(live.queued)}</span>
          )}
        </div>
        {isWorking && !isViewer && (
          <Button
            variant="quiet"
            onClick={() => give({ kind: 'cancel' })}
            className="shrink-0 px-3 text-sm text-bad!"
          >
            <StopIcon className="size-5" />
            {words.compose.stop}
          </Button>
        )}
      </div>
      {open === 'todos' && todos && (
        <Sheet title={words.tools.todosDone(todos.done, todos.all)} onClose={() => setOpen(undefined)}>
          <div className="-mx-3 -my-2.5">
            <TodoBody call={todos.call} />
          </div>
        </Sheet>
      )}
      {open === 'mode' && (
        <ModeSheet
          live={live}
          onClose={() => setOpen(undefined)}
          onChoose={(each) => {
            wantMode(each)
            give({ kind: 'mode', mode: each }, wantMode)
          }}
        />
      )}
      {open === 'model' && (
        <ModelSheet
          live={live}
          onClose={() => setOpen(undefined)}
          onChoose={(each) => {
            wantModel(each)
            give({ kind: 'model', model: each }, wantModel)
          }}
        />
      )}
      {open === 'context' && context && <ContextSheet context={context} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

function Chip({
  label,
  isPending = false,
  onClick,
  children,
}: {
  readonly label: string
  /** Requested and not confirmed yet. */
  readonly isPending?: boolean
  /** Undefined for viewers. */
  readonly onClick: (() => void) | undefined
  readonly children: ReactNode
}) {
  const style = `flex min-h-11 max-w-40 shrink-0 items-center gap-1 rounded-xl px-2 text-sm text-dim ${isPending ? 'animate-[breathe_1.2s_infinite]' : ''}`
  const inner = (
    <>
      <span className="sr-only">{label}: </span>
      <span className="truncate">{children}</span>
    </>
  )
  if (!onClick) return <span className={style}>{inner}</span>
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onClick}
      className={`${style} hover:bg-sunken hover:text-ink`}
    >
      {inner}
      <DownIcon className="size-3.5 shrink-0" />
    </button>
  )
}

function ContextSheet({ context, onClose }: { readonly context: ContextLeft; readonly onClose: () => void }) {
  const { percent, used, size } = context
  return (
    <Sheet title={words.status.contextTitle} onClose={onClose}>
      <p className="text-2xl font-semibold">{words.status.context(percent)}</p>
      <meter
        aria-label={words.status.contextTitle}
        min={0}
        max={size}
        value={size - used}
        className="my-3 h-2 w-full"
      />
      <p>{words.status.contextLong(formatShortNumber(used), formatShortNumber(size))}</p>
      <p className="pt-3 text-sm text-dim">{words.status.contextHint}</p>
    </Sheet>
  )
}

/** Escape interrupts the agent unless a dialog is open. */
function useEscape(isOn: boolean, run: () => void): void {
  useEffect(() => {
    if (!isOn) return undefined
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (!document.querySelector('dialog[open]')) run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

/** How long an unconfirmed choice is shown. */
const delayMs = 8_000

/** A choice that was sent, until it is confirmed or times out. */
function usePendingChoice(current: string | undefined): [string | undefined, (wanted?: string) => void] {
  const [wanted, setWanted] = useState<string>()
  useEffect(() => {
    if (wanted === undefined) return undefined
    if (wanted === current) {
      setWanted(undefined)
      return undefined
    }
    const timer = setTimeout(() => setWanted(undefined), delayMs)
    return () => clearTimeout(timer)
  }, [wanted, current])
  return [wanted, setWanted]
}
