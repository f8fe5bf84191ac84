import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { AgentChips } from '../ui/chips.tsx'
import { Busy } from '../ui/busy.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { CloseIcon, SearchIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { HitRow } from './hit-row.tsx'
import { searchFieldId } from '../navigation/use-search-key.ts'
import type { SearchHit } from '@remora/protocol/api'
import { useConnection } from '../state/connection.ts'
import { api, ApiError } from '../wire/api.ts'
import { useKnownAgents } from '../sessions/session-list.ts'

const usual = 50
const most = 200

/** Full-text search. The query is in the URL, so that Back returns to the results. */
export function SearchScreen() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const [limit, setLimit] = useState(usual)
  const agent = params.get('agent') ?? undefined
  const wanted = text.trim()
  const { found, error, isBusy } = useSearch(wanted, agent, limit)
  const agents = useKnownAgents()
  const change = (query: string, of: string | undefined): void => {
    setLimit(usual)
    const next = { ...(query.trim() ? { q: query } : {}), ...(of ? { agent: of } : {}) }
    setParams(next, { replace: true })
  }
  useEffect(() => document.querySelector<HTMLInputElement>(`#${searchFieldId}`)?.focus(), [])
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader title={words.search.title} back={routes.sessions} />
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          // Closes the keyboard of a phone, which would cover the results.
          document.querySelector<HTMLInputElement>(`#${searchFieldId}`)?.blur()
        }}
        className="mx-auto w-full max-w-3xl px-4 pt-3 pb-1"
      >
        <div className="flex items-center rounded-xl border border-line bg-raised pl-3 focus-within:border-accent">
          <SearchIcon className="size-5 shrink-0 text-faint" />
          <input
            id={searchFieldId}
            type="search"
            enterKeyHint="search"
            aria-label={words.search.title}
            placeholder={words.search.placeholder}
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              change(target.value, agent)
            }}
            className="min-h-12 min-w-0 flex-1 bg-transparent px-2 outline-none [&::-webkit-search-cancel-button]:hidden"
          />
          {text !== '' && (
            <IconButton
              label={words.search.clear}
              onClick={() => {
                setText('')
                change('', agent)
                document.querySelector<HTMLInputElement>(`#${searchFieldId}`)?.focus()
              }}
            >
              <CloseIcon />
            </IconButton>
          )}
        </div>
      </form>
      <div className="mx-auto w-full max-w-3xl">
        <AgentChips agents={agents} chosen={agent} onChoose={(next) => change(text, next)} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain" aria-busy={isBusy}>
        {error ? (
          error.code === 'network' ? (
            <Empty title={words.search.offline} hint={words.search.offlineHint} />
          ) : (
            <Empty title={words.search.failed} hint={error.hint ?? error.message} />
          )
        ) : wanted === '' ? (
          <Empty title={words.search.start} hint={words.search.startHint} />
        ) : found ? (
          <Results found={found} onMore={() => setLimit(most)} />
        ) : (
          <Busy />
        )}
      </div>
    </section>
  )
}

function Results({ found, onMore }: { readonly found: Found; readonly onMore: () => void }) {
  const { hits, limit } = found
  if (hits.length === 0) return <Empty title={words.search.none} hint={words.search.noneHint} />
  const isAll = hits.length < limit
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pt-1 pb-6">
      <p role="status" className="py-1.5 text-sm text-dim">
        {isAll ? words.search.found(hits.length) : words.search.foundMost(hits.length)}
      </p>
      <ul aria-label={words.search.results} className="flex flex-col gap-2">
        {hits.map((hit) => (
          <li key={`${hit.seq} ${hit.kind}`} className="[content-visibility:auto]">
            <HitRow hit={hit} />
          </li>
        ))}
      </ul>
      {!isAll && limit < most && (
        <div className="flex justify-center pt-4">
          <Button onClick={onMore}>{words.search.more}</Button>
        </div>
      )}
    </div>
  )
}

interface Found {
  readonly hits: readonly SearchHit[]
  /** The query of these results. */
  readonly text: string
  readonly limit: number
}

/** Waits for a pause in typing. */
const pauseMs = 220

/** Searches after a pause in typing. The last results stay until new ones arrive. */
function useSearch(text: string, agent: string | undefined, limit: number) {
  const [found, setFound] = useState<Found>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  // Searches again after reconnecting.
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    setError(undefined)
    if (text === '') {
      setFound(undefined)
      setBusy(false)
      return undefined
    }
    const over = new AbortController()
    setBusy(true)
    const timer = setTimeout(() => {
      api
        .get('/api/search', { query: { text: text.slice(0, 500), agent, limit }, signal: over.signal })
        .then(
          ({ hits }) => setFound({ hits, text, limit }),
          (problem: unknown) => {
            if (over.signal.aborted) return
            setFound(undefined)
            setError(problem instanceof ApiError ? problem : new ApiError(0, 'unknown', String(problem)))
          },
        )
        .finally(() => {
          if (!over.signal.aborted) setBusy(false)
        })
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [text, agent, limit, isOnline])
  return { found, error, isBusy }
}
