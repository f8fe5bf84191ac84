import type { Group, Review } from '@remora/protocol/api'
import { Link } from 'wouter'
import { toFileLink } from '../navigation/file-link.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { FileIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { severityStyles, standingStyles } from './styles.ts'

interface FindingCardProps {
  readonly group: Group
  readonly review: Review
  readonly isChosen: boolean
  readonly isSent: boolean
  /** Undefined for viewers. */
  readonly onChoose: ((isChosen: boolean) => void) | undefined
}

const pill = 'shrink-0 rounded-full px-2 py-0.5 text-xs font-medium'

/** One problem with its severity, location and the reviewers who agree or disagree. */
export function FindingCard({ group, review, isChosen, isSent, onChoose }: FindingCardProps) {
  const { severity, standing, text, suggestion, file, line, by, against } = group
  const getAgent = (number: number): string => review.reviewers[number]?.agent ?? ''
  return (
    <li
      data-testid="finding"
      data-standing={standing}
      className={`rounded-card border bg-raised p-3 ${isChosen ? 'border-accent' : 'border-line'}`}
    >
      <div className="flex items-start gap-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5 pt-2">
          <span className={`${pill} ${severityStyles[severity]}`}>{words.review.severities[severity]}</span>
          <span
            className={`${pill} ${standingStyles[standing]}`}
            title={words.review.standingHints[standing]}
          >
            {words.review.standings[standing]}
          </span>
          {isSent && <span className={`${pill} bg-accent-soft text-accent`}>{words.review.sentBefore}</span>}
        </div>
        {onChoose && (
          <label className="-mt-1 -mr-1 flex size-11 shrink-0 cursor-pointer items-center justify-center">
            <span className="sr-only">{words.review.choose(text.slice(0, 80))}</span>
            <input
              type="checkbox"
              checked={isChosen}
              onChange={({ target }) => onChoose(target.checked)}
              className="size-5 accent-accent"
            />
          </label>
        )}
      </div>
      <Place review={review} file={file} line={line} />
      <p dir="auto" className="mt-1.5 break-words whitespace-pre-wrap">
        {text}
      </p>
      {suggestion && (
        <div className="mt-2 rounded-lg bg-code px-3 py-2">
          <p className="text-xs font-medium text-dim">{words.review.suggestion}</p>
          <p dir="auto" className="text-sm break-words whitespace-pre-wrap">
            {suggestion}
          </p>
        </div>
      )}
      <dl className="mt-3 flex flex-col gap-2 border-t border-line pt-2 text-sm">
        <Voices
          title={words.review.agrees}
          voices={by.map((each) => ({
            agent: getAgent(each.reviewer),
            // The text above is not repeated.
            text: each.text === text ? '' : each.text,
            severity: each.severity,
          }))}
        />
        {against.length > 0 && (
          <Voices
            title={words.review.disagrees}
            voices={against.map((each) => ({ agent: getAgent(each.reviewer), text: each.text }))}
          />
        )}
      </dl>
    </li>
  )
}

function Place({
  review,
  file,
  line,
}: {
  readonly review: Review
  readonly file: string
  readonly line: number | undefined
}) {
  if (file === '') return <p className="mt-1 text-sm text-dim">{words.review.noFile}</p>
  return (
    <Link
      href={toFileLink(review.parent, file, line)}
      className="-mx-1 flex min-h-11 w-fit max-w-full items-center gap-1.5 rounded-lg px-1 text-accent hover:underline"
    >
      <FileIcon className="size-4 shrink-0" />
      <bdi className="min-w-0 font-mono text-sm break-all">
        {line === undefined ? file : words.review.place(file, line)}
      </bdi>
    </Link>
  )
}

function Voices({
  title,
  voices,
}: {
  readonly title: string
  readonly voices: readonly {
    readonly agent: string
    readonly text: string
    readonly severity?: Group['severity']
  }[]
}) {
  const getAgentName = useAgentNames()
  return (
    <div className="flex items-start gap-3">
      <dt className="w-16 shrink-0 pt-0.5 text-dim">{title}</dt>
      <dd className="flex min-w-0 flex-1 flex-col gap-1.5">
        {voices.map(({ agent, text, severity }, index) => (
          <div key={index} className="flex items-start gap-2">
            <AgentMark agent={agent} className="size-6 rounded-md" />
            <p className="min-w-0 pt-0.5 break-words whitespace-pre-wrap">
              <span className="font-medium">{getAgentName(agent)}</span>
              {severity && <span className="text-dim"> · {words.review.severities[severity]}</span>}
              {text && (
                <span dir="auto" className="block text-dim">
                  {text}
                </span>
              )}
            </p>
          </div>
        ))}
      </dd>
    </div>
  )
}
