import { type KeyboardEvent, type RefObject, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { UpIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { type Key, toKey, textKeys } from './keys.ts'

/** Agents take an Enter that arrives with the text for part of a paste. */
const beforeEnterMs = 150

export interface TypeLineProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly onKeys: (keys: readonly Key[]) => void
  readonly hasControl: boolean
  readonly onKey: (key: Key) => void
}

/**
 * A text line for on-screen keyboards with completion. It is sent when finished. While it is empty, keys go to the
 * terminal.
 */
export function TypeLine({ field, onKeys, hasControl, onKey }: TypeLineProps) {
  const [text, setText] = useState('')

  const insert = (): void => {
    onKeys(textKeys(text))
    setText('')
    field.current?.focus()
  }
  const onChange = (value: string): void => {
    // With Ctrl held, the next character is a key.
    const added = value.startsWith(text) ? value.slice(text.length) : value
    if (hasControl && added.length === 1) return onKey({ text: added })
    setText(value)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // The event must not reach the terminal as well.
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      if (text === '') return onKey({ key: 'Enter' })
      insert()
      setTimeout(() => onKeys([{ key: 'Enter' }]), beforeEnterMs)
      return
    }
    if (text !== '') return
    const key = toKey(event.nativeEvent)
    if (!key || 'text' in key) return
    event.preventDefault()
    onKey(key)
  }
  return (
    <div className="flex min-w-0 flex-1 items-center gap-1.5">
      <input
        ref={field}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => event.stopPropagation()}
        aria-label={words.terminal.line}
        placeholder={words.terminal.linePlaceholder}
        enterKeyHint="send"
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        className="h-11 min-w-0 flex-1 rounded-xl bg-sunken px-3 font-mono"
      />
      <IconButton label={words.terminal.insert} variant="plain" disabled={text === ''} onClick={insert}>
        <UpIcon />
      </IconButton>
    </div>
  )
}
