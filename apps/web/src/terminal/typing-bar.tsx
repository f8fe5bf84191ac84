import type { RefObject } from 'react'
import { useIsViewer } from '../state/connection.ts'
import { toast } from '../state/toasts.ts'
import type { SessionKey } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { EyeIcon, KeyboardIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { ContinueButton } from './continue-button.tsx'
import { KeyBar } from './key-bar.tsx'
import type { Key } from './keys.ts'
import { TypeLine } from './type-line.tsx'

export interface TypingBarProps {
  readonly session: SessionKey
  readonly field: RefObject<HTMLInputElement | null>
  readonly typeSwitch: RefObject<HTMLButtonElement | null>
  readonly isTyping: boolean
  readonly hasEnded: boolean
  readonly hasControl: boolean
  readonly onTyping: (isTyping: boolean) => void
  readonly onControl: () => void
  /** One key press. */
  readonly onKey: (key: Key) => void
  /** Several keys. */
  readonly onKeys: (keys: readonly Key[]) => void
  readonly onPaste: (text: string) => void
}

/** Switches between watching and typing, and shows the key bar. */
export function TypingBar(props: TypingBarProps) {
  const { session, field, typeSwitch, isTyping, hasEnded, hasControl, onTyping, onControl } = props
  const isViewer = useIsViewer()
  const paste = (): void => {
    const byHand = (): void => {
      toast(words.terminal.pasteByHand, { hint: words.terminal.pasteByHandHint })
      field.current?.focus()
    }
    // Not in every browser, and only in secure contexts.
    if (!navigator.clipboard?.readText) return byHand()
    navigator.clipboard.readText().then(props.onPaste, byHand)
  }
  return (
    <div className="pb-safe flex flex-wrap items-center gap-2 border-t border-line bg-raised px-3 pt-2 lying:w-52 lying:flex-col lying:flex-nowrap lying:items-stretch lying:overflow-y-auto lying:border-t-0 lying:border-l">
      <p
        role="status"
        className={classNames('min-w-0 flex-1 text-sm lying:flex-none', isTyping && 'lying:sr-only')}
      >
        <span className="block font-medium">
          {hasEnded ? words.terminal.ended : isTyping ? words.terminal.typing : words.terminal.watching}
        </span>
        {!isTyping && (
          <span className="block text-dim">
            {hasEnded
              ? words.terminal.endedHint
              : isViewer
                ? words.terminal.watchingHintViewer
                : words.terminal.watchingHint}
          </span>
        )}
        {isTyping && <span className="hidden text-dim pointer-fine:block">{words.terminal.typingHint}</span>}
      </p>
      {hasEnded ? (
        <ContinueButton session={session} />
      ) : isViewer ? null : (
        <Button
          ref={typeSwitch}
          variant={isTyping ? 'plain' : 'primary'}
          onClick={() => onTyping(!isTyping)}
          className="shrink-0 pointer-fine:order-last"
        >
          {isTyping ? <EyeIcon /> : <KeyboardIcon />}
          {isTyping ? words.terminal.watch : words.terminal.type}
        </Button>
      )}
      {isTyping && (
        <>
          {/* A device with a mouse has a keyboard. */}
          <div className="w-full pointer-fine:hidden">
            <KeyBar onKey={props.onKey} onPaste={paste} hasControl={hasControl} onControl={onControl} />
          </div>
          <div className="w-full pointer-fine:w-96">
            <TypeLine field={field} onKeys={props.onKeys} onKey={props.onKey} hasControl={hasControl} />
          </div>
        </>
      )}
    </div>
  )
}
