import { formatExact, formatRequest } from '@remora/protocol/plain'
import { useMemo } from 'react'
import { useRoute } from 'wouter'
import type { PendingAsk } from '../state/live.ts'
import { AgentMark, getAgentName } from '../ui/agent-mark.tsx'
import { words } from '../words/index.ts'
import { openAsk } from './open-ask.ts'

const longest = 200

/** Shows requests of other sessions above every screen. */
export function AskBanner({ waiting }: { readonly waiting: readonly PendingAsk[] }) {
  const [first] = waiting
  const about = useMemo(() => first && getSubject(first), [first])
  // The session list shows requests itself.
  const [isList] = useRoute('/')
  if (!first || isList) return null
  return (
    <div role="status" className="pt-safe order-first bg-warn-soft text-warn">
      <button
        type="button"
        data-testid="ask-banner"
        onClick={() => openAsk(waiting.length === 1 ? first : undefined)}
        className="flex min-h-14 w-full items-center gap-3 px-4 py-1.5 text-left"
      >
        <AgentMark agent={first.agent} className="size-9" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-semibold">
            {words.asks.banner(
              getAgentName(first.agent),
              words.asks.kinds[first.ask.kind] ?? words.asks.kinds['dialog']!,
              formatExact(first.ask.title, { layout: 'line', limit: longest }).text,
            )}
          </span>
          <span className="flex gap-2 text-sm">
            {about && (
              <span dir="ltr" className="truncate font-mono">
                {about}
              </span>
            )}
            {waiting.length > 1 && (
              <span className="shrink-0">{words.asks.bannerMore(waiting.length - 1)}</span>
            )}
          </span>
        </span>
        <span className="flex min-h-10 items-center rounded-xl bg-warn px-4 font-semibold text-warn-soft">
          {words.asks.show}
        </span>
      </button>
    </div>
  )
}

/** The start of the request. Only the sheet shows all of it and can allow it. */
function getSubject({ ask }: PendingAsk): string {
  return formatRequest(ask, { layout: 'line', limit: longest, withoutTitle: true }).text
}
