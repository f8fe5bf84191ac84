import type { PathFix } from '@remora/protocol/api'
import { useState } from 'react'
import { toastError } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { CheckIcon, CopyIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { Card } from './card.tsx'

/** Suggested fixes to copy, the best first. */
export function Fixes({ fixes }: { readonly fixes: readonly PathFix[] }) {
  if (fixes.length === 0) return null
  return (
    <Card title={words.insights.fix}>
      <ul className="mt-2 flex flex-col gap-4">
        {fixes.map((fix, index) => (
          <Fix key={index} fix={fix} />
        ))}
      </ul>
    </Card>
  )
}

const copiedMs = 2_000

function Fix({ fix: { kind, text, where, paste } }: { readonly fix: PathFix }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(paste)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return (
    <li>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium text-accent">
          {words.insights.fixKinds[kind] ?? kind}
        </span>
        <span className="min-w-0 break-words">{text}</span>
        {!text.includes(where) && (
          <span className="text-sm text-dim">
            {where === 'shell' ? words.insights.inShell : words.insights.where(where)}
          </span>
        )}
      </p>
      <div className="mt-2 flex flex-col gap-1 rounded-xl bg-code p-1 pl-3 sm:flex-row sm:items-start">
        <pre className="min-w-0 flex-1 overflow-x-auto py-2.5 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {paste}
        </pre>
        <Button className="self-end px-3 sm:self-start" onClick={() => void copy().catch(toastError)}>
          {isCopied ? <CheckIcon /> : <CopyIcon />}
          <span aria-live="polite">{isCopied ? words.insights.copied : words.insights.copyFix}</span>
        </Button>
      </div>
    </li>
  )
}
