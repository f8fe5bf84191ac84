import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { getTimeline } from '../state/timeline.ts'
import type { SessionKey } from '../wire/api.ts'
import { insertAt, tokenAt } from './completion.ts'
import { listPrompts } from './prompt-history.ts'
import { SuggestionList } from './suggestion-list.tsx'
import { type Suggestion, useSuggestions } from './use-suggestions.ts'

export interface PromptFieldProps {
  readonly session: SessionKey
  readonly text: string
  readonly placeholder: string
  readonly onText: (text: string) => void
  readonly onSend: () => void
  readonly onFiles: (files: Iterable<File>) => void
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/** With a physical keyboard Enter sends. On touch screens it adds a line, and the button sends. */
const keyboard = matchMedia('(hover: hover) and (pointer: fine)')

/** A growing text field with command, file and history completion. */
export function PromptField({
  session,
  text,
  placeholder,
  onText,
  onSend,
  onFiles,
  field,
}: PromptFieldProps) {
  const listId = useId()
  const [caret, setCaret] = useState(0)
  const [isFocused, setFocused] = useState(false)
  const [dismissed, setDismissed] = useState<string>()
  const [active, setActive] = useState(0)
  /** The caret position to set after the next change by code. */
  const wantedCaret = useRef<number>(undefined)
  const recalled = useRef(-1)

  const found = isFocused ? tokenAt(text, Math.min(caret, text.length)) : undefined
  const tokenName = found && `${found.kind} ${found.start}`
  const token = tokenName === dismissed ? undefined : found
  const suggestions = useSuggestions(session, token)
  // Text after a command is an argument, so there is nothing to complete.
  const isShown =
    token !== undefined &&
    (suggestions.list.length > 0 || (token.kind === 'command' ? !/\s/.test(token.typed) : true))
  const hasList = isShown && suggestions.list.length > 0
  const chosen = Math.min(active, Math.max(0, suggestions.list.length - 1))

  useEffect(() => {
    if (tokenName === undefined) setDismissed(undefined)
  }, [tokenName])
  useEffect(() => setActive(0), [tokenName, token?.typed])

  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
    if (wantedCaret.current !== undefined) {
      element.setSelectionRange(wantedCaret.current, wantedCaret.current)
      setCaret(wantedCaret.current)
      wantedCaret.current = undefined
    }
  }, [text, field])

  const choose = ({ insert }: Suggestion): void => {
    if (!token) return
    const next = insertAt(text, token, insert)
    wantedCaret.current = next.caret
    onText(next.text)
    field.current?.focus()
  }

  const recall = (step: 1 | -1): boolean => {
    const prompts = listPrompts(getTimeline(session).messages)
    const isOwn = recalled.current >= 0 && text === prompts[recalled.current]
    if (text !== '' && !isOwn) return false
    const next = (isOwn ? recalled.current : -1) + step
    if (next >= prompts.length || next < -1) return false
    recalled.current = next
    const words = prompts[next] ?? ''
    wantedCaret.current = words.length
    onText(words)
    return true
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // Enter also confirms input method composition.
    if (event.nativeEvent.isComposing) return
    const { key } = event
    const isAsked = event.ctrlKey || event.metaKey
    if (isShown && !isAsked && onListKey(event)) return event.preventDefault()
    if (key === 'Enter' && (isAsked || (keyboard.matches && !event.shiftKey && !event.altKey))) {
      event.preventDefault()
      onSend()
    } else if (key === 'ArrowUp' && recall(1)) event.preventDefault()
    else if (key === 'ArrowDown' && recalled.current >= 0 && recall(-1)) event.preventDefault()
  }

  const onListKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const { list } = suggestions
    if (key === 'Escape') {
      setDismissed(tokenName)
      return true
    }
    if (list.length === 0) return false
    if (key === 'ArrowDown') setActive((chosen + 1) % list.length)
    else if (key === 'ArrowUp') setActive((chosen - 1 + list.length) % list.length)
    else if ((key === 'Tab' || key === 'Enter') && !shiftKey) {
      // A complete command does not need a second Enter.
      if (key === 'Enter' && list[chosen]!.insert.trim() === text.trim()) return false
      choose(list[chosen]!)
    } else return false
    return true
  }

  return (
    <>
      {isShown && (
        <SuggestionList
          id={listId}
          kind={token.kind}
          suggestions={suggestions}
          active={chosen}
          onChoose={choose}
        />
      )}
      <textarea
        ref={field}
        aria-label={placeholder}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={hasList ? listId : undefined}
        aria-activedescendant={hasList ? `${listId}-${chosen}` : undefined}
        placeholder={placeholder}
        value={text}
        rows={1}
        dir="auto"
        autoComplete="off"
        enterKeyHint={keyboard.matches ? 'send' : 'enter'}
        onChange={({ target }) => {
          recalled.current = -1
          setCaret(target.selectionStart)
          onText(target.value)
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const { files, types } = event.clipboardData
          // Clipboard content with text is pasted as text.
          if (files.length === 0 || types.includes('text/plain')) return
          event.preventDefault()
          onFiles([...files])
        }}
        className="block max-h-[40dvh] min-h-11 w-full resize-none bg-transparent px-1 py-2.5 outline-none placeholder:text-faint"
      />
    </>
  )
}
