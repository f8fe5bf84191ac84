import { useEffect, useRef } from 'react'
import { FileIcon, FolderIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import type { Token } from './completion.ts'
import type { Suggestion, Suggestions } from './use-suggestions.ts'

/** The completion list. Arrow keys or a tap choose an entry, and the text keeps the focus. */
export function SuggestionList({
  id,
  kind,
  suggestions: { list, state },
  active,
  onChoose,
}: {
  readonly id: string
  readonly kind: Token['kind']
  readonly suggestions: Suggestions
  readonly active: number
  readonly onChoose: (suggestion: Suggestion) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, list])
  const label = kind === 'command' ? words.compose.commands : words.compose.files
  const none = kind === 'command' ? words.compose.noCommand : words.compose.noFile
  return (
    <div className="absolute inset-x-2 bottom-full z-20 mb-1 overflow-hidden rounded-card border border-line bg-raised shadow-lg">
      <p role="status" className={list.length > 0 ? 'sr-only' : 'px-4 py-3 text-sm text-dim'}>
        {list.length > 0
          ? words.compose.found(list.length)
          : state === 'loading'
            ? words.compose.searching
            : state === 'failed'
              ? words.compose.notLoaded
              : none}
      </p>
      {list.length > 0 && (
        <div
          ref={box}
          id={id}
          role="listbox"
          aria-label={label}
          className="max-h-64 overflow-y-auto overscroll-contain py-1"
        >
          {list.map((suggestion, index) => (
            <div
              key={suggestion.key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              // Keeps the focus, and with it the on-screen keyboard.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(suggestion)}
              className={`flex min-h-11 cursor-pointer items-center gap-3 px-4 py-1.5 ${index === active ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
            >
              <Line suggestion={suggestion} kind={kind} />
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

function Line({ suggestion, kind }: { readonly suggestion: Suggestion; readonly kind: Token['kind'] }) {
  const { label, detail, badge, isFolder } = suggestion
  const Icon = isFolder ? FolderIcon : FileIcon
  if (kind === 'file')
    return (
      <>
        <Icon className="size-4 shrink-0 text-dim" />
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm">{label}</span>
          {detail && (
            <span dir="ltr" className="block truncate text-xs text-dim">
              {detail}
            </span>
          )}
        </span>
      </>
    )
  return (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-mono text-sm">{label}</span>
        {detail && <span className="block truncate text-xs text-dim">{detail}</span>}
      </span>
      {badge && <span className="shrink-0 rounded-full bg-sunken px-2 py-0.5 text-xs text-dim">{badge}</span>}
    </>
  )
}
