import { Suspense, lazy, useMemo } from 'react'
import type { PendingAsk } from '../state/live.ts'
import { liveOf, useLive } from '../state/live.ts'
import { Busy } from '../ui/busy.tsx'
import { DownIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { ExactText } from './exact-text.tsx'
import { PlanText } from './plan-text.tsx'
import { subjectOf } from './subject.ts'

const ChangeView = lazy(() => import('./change-view.tsx').then(({ ChangeView }) => ({ default: ChangeView })))

/** Exactly what the person decides about. */
export function AskContent({ pending }: { readonly pending: PendingAsk }) {
  const { ask } = pending
  const subject = useMemo(() => subjectOf(ask), [ask])
  const isRead = useLive(
    ({ live }) => ask.exact !== true && liveOf(live, pending)?.channel !== 'acp' && ask.kind === 'permission',
  )
  const { command, note, path, changes, content, plan, fields, body } = subject
  const isTold = command !== undefined || changes.length > 0 || content !== undefined
  return (
    <div className="flex flex-col gap-3">
      <p className="text-lg leading-snug font-semibold break-words [overflow-wrap:anywhere]" dir="auto">
        {ask.title}
      </p>
      {note !== undefined && <p className="break-words text-dim">{note}</p>}
      {ask.tool !== undefined && command === undefined && (
        <p className="text-sm break-words text-dim [overflow-wrap:anywhere]">{words.asks.tool(ask.tool)}</p>
      )}
      {command !== undefined && <ExactText label={words.asks.command} text={command} />}
      {path !== undefined && <ExactText label={words.asks.file} text={path} />}
      {changes.map(({ before, after }, index) => (
        <Suspense key={index} fallback={<Busy />}>
          <ChangeView before={before} after={after} />
        </Suspense>
      ))}
      {content !== undefined && <ExactText label={words.asks.newFile} text={content} />}
      {plan !== undefined && <PlanText text={plan} />}
      {fields.map(({ name, text }) => (
        <ExactText key={name} label={name === '' ? words.asks.input : name} text={text} />
      ))}
      {body !== undefined &&
        (ask.kind === 'question' || ask.kind === 'trust' ? (
          <p className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto">
            {body}
          </p>
        ) : isTold ? (
          <details className="group">
            <summary className="flex min-h-11 list-none items-center gap-1.5 text-sm text-dim">
              <DownIcon className="size-4 -rotate-90 transition group-open:rotate-0" />
              {words.asks.shown}
            </summary>
            <ExactText label={words.asks.shown} text={body} />
          </details>
        ) : (
          <ExactText label={words.asks.shown} text={body} />
        ))}
      {isRead && <p className="text-sm text-dim">{words.asks.fromScreen}</p>}
      {ask.exact && <p className="text-sm text-dim">{words.asks.exactly}</p>}
    </div>
  )
}
