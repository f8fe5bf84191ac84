import { memo, useContext, useId } from 'react'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { classNames } from '../ui/class-names.ts'
import { SessionContext } from './session-context.ts'
import { stripAnsi } from '../tool-calls/ansi.ts'
import { getOutputText, type ToolCall } from '../tool-calls/call.ts'
import { getTitle, getToolView } from './registry.ts'
import { ToolState } from './tool-state.tsx'
import { useExpanded } from './use-expanded.ts'
import { parseShellOutput } from '../tool-calls/parsing.ts'

/** A tool call: one line, expandable. */
export const ToolCard = memo(function ToolCard({ call }: { readonly call: ToolCall }) {
  const session = useContext(SessionContext)
  const view = getToolView(call)
  const [isOpen, toggle] = useExpanded(`${session.session}/${call.id}`, view.isOpen === true)
  const bodyId = useId()
  const { icon: Icon, Body } = view
  const summary = replaceInvisible(view.summary?.(call) ?? '')
  const failure = isOpen ? undefined : getFailure(call)
  return (
    <div className="min-w-0" data-testid="tool">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? bodyId : undefined}
        onClick={toggle}
        className="flex min-h-11 w-full items-center gap-2 px-3 text-left -outline-offset-2 hover:bg-sunken"
      >
        <Icon className="size-4 shrink-0 text-dim" />
        <span className="max-w-[55%] shrink-0 truncate text-sm font-medium">{getTitle(call)}</span>
        <span
          className={classNames(
            'min-w-0 flex-1 truncate text-dim',
            view.isProse ? 'text-sm' : 'font-mono text-[0.8125rem]',
          )}
        >
          {summary}
        </span>
        <Stat stat={view.stat?.(call)} />
        <ToolState call={call} session={session} />
      </button>
      {failure !== undefined && (
        <p className="-mt-1 line-clamp-4 px-3 pb-2.5 pl-9 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap text-bad">
          {failure}
        </p>
      )}
      {isOpen && (
        <div id={bodyId} className="border-t border-line">
          <ErrorBoundary>
            <Body call={call} />
          </ErrorBoundary>
        </div>
      )}
    </div>
  )
})

function Stat({ stat }: { readonly stat: ReturnType<NonNullable<ReturnType<typeof getToolView>['stat']>> }) {
  if (stat === undefined) return null
  if (typeof stat === 'string') return <span className="shrink-0 text-xs text-faint">{stat}</span>
  return (
    <span className="shrink-0 font-mono text-xs text-good">
      {stat.added > 0 && `+${stat.added}`}
      {stat.removed > 0 && <span className="text-bad">{` −${stat.removed}`}</span>}
    </span>
  )
}

/** The first lines of an error. A denied or cancelled call is explained by its state. */
function getFailure(call: ToolCall): string | undefined {
  const status = call.result?.status
  if (status !== 'error' && status !== 'timeout') return undefined
  if (call.name !== 'Bash') return getOutputText(call).slice(0, 600).trim() || undefined
  const end = stripAnsi(parseShellOutput(call).output.slice(-4_000)).trim()
  return end.split('\n').slice(-4).join('\n').slice(-600) || undefined
}
