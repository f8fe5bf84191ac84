import { type RequestParts, formatMarked, getRequestParts, markText } from '@remora/protocol/plain'
import { Fragment, type ReactNode, Suspense, lazy, useMemo } from 'react'
import { findLive, type PendingAsk, useLive } from '../state/live.ts'
import { Busy } from '../ui/busy.tsx'
import { DownIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { ExactText, useCutText } from './exact-text.tsx'
import { MarkedText } from '../ui/marked-text.tsx'
import { lex } from '../markdown/lex.ts'
import { Markdown } from '../markdown/markdown.tsx'

const ChangeView = lazy(() => import('./change-view.tsx').then(({ ChangeView }) => ({ default: ChangeView })))

/** Shows exactly what the user decides about. */
export function AskContent({ pending }: { readonly pending: PendingAsk }) {
  const { ask } = pending
  const subject = useMemo(() => getRequestParts(ask), [ask])
  const isRead = useLive(
    ({ live }) =>
      ask.exact !== true && findLive(live, pending)?.channel !== 'acp' && ask.kind === 'permission',
  )
  const { command, note, path, changes, content, plan, fields, body } = subject
  const isDescribed = command !== undefined || changes.length > 0 || content !== undefined
  // A record of all parts, so that a new one does not compile until it is shown.
  const shown: Record<keyof RequestParts | 'tool', ReactNode> = {
    note: note !== undefined && (
      <p className="break-words text-dim">
        <MarkedText text={note} />
      </p>
    ),
    tool: ask.tool !== undefined && command === undefined && (
      <p className="text-sm break-words text-dim [overflow-wrap:anywhere]">
        {words.asks.tool(formatMarked(ask.tool, 'line'))}
      </p>
    ),
    command: command !== undefined && <ExactText label={words.asks.command} text={command} />,
    path: path !== undefined && <ExactText label={words.asks.file} text={path} />,
    changes: changes.map(({ before, after }, index) => (
      <Suspense key={index} fallback={<NotYetShown />}>
        <ChangeView before={before} after={after} />
      </Suspense>
    )),
    content: content !== undefined && <ExactText label={words.asks.newFile} text={content} />,
    plan: plan !== undefined && <PlanText text={plan} />,
    fields: fields.map(({ name, text }) => (
      <ExactText key={name} label={name === '' ? words.asks.input : formatMarked(name, 'line')} text={text} />
    )),
    body: body !== undefined && <BodyText ask={ask} text={body} isDescribed={isDescribed} />,
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="text-lg leading-snug font-semibold break-words [overflow-wrap:anywhere]" dir="auto">
        <MarkedText text={ask.title} />
      </p>
      {Object.entries(shown).map(([part, node]) => (
        <Fragment key={part}>{node}</Fragment>
      ))}
      {isRead && <p className="text-sm text-dim">{words.asks.fromScreen}</p>}
      {ask.exact && <p className="text-sm text-dim">{words.asks.exactly}</p>}
    </div>
  )
}

interface BodyProps {
  readonly ask: PendingAsk['ask']
  readonly text: string
  /** Whether other parts show what is asked for. */
  readonly isDescribed: boolean
}

/** Other text of the agent. */
function BodyText({ ask, text, isDescribed }: BodyProps) {
  if (ask.kind === 'question' || ask.kind === 'trust')
    return (
      <p className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto">
        <MarkedText text={text} />
      </p>
    )
  if (!isDescribed) return <ExactText label={words.asks.shown} text={text} />
  return (
    // Fields read from the screen may be wrong, so the screen text stays open.
    <details className="group" open={ask.exact !== true}>
      <summary className="flex min-h-11 list-none items-center gap-1.5 text-sm text-dim">
        <DownIcon className="size-4 -rotate-90 transition group-open:rotate-0" />
        {words.asks.shown}
      </summary>
      <ExactText label={words.asks.shown} text={text} />
    </details>
  )
}

/** Shown while a part is loading. */
function NotYetShown() {
  useCutText(true)
  return <Busy />
}

/** Markdown syntax that renders less than its source: links, images, references and HTML. */
const hiding = /\]\(|\]\[|^\s*\[[^\]]+\]:|<[!/?a-z]|&#?\w+;/im

/** Renders a plan as Markdown if that hides nothing, otherwise as exact text. */
function PlanText({ text }: { readonly text: string }) {
  const isPlain = useMemo(() => !hiding.test(text) && markText(text).every(({ isMark }) => !isMark), [text])
  const tokens = useMemo(() => (isPlain ? lex(text) : undefined), [isPlain, text])
  if (!tokens) return <ExactText label={words.asks.plan} text={text} />
  return (
    <section aria-label={words.asks.plan}>
      <div
        dir="auto"
        className="rounded-xl border border-line bg-paper px-4 py-3 break-words [overflow-wrap:anywhere]"
      >
        <Markdown tokens={tokens} text={text} />
      </div>
    </section>
  )
}
