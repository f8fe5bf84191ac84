import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '../ui/class-names.ts'
import { words } from '../words/index.ts'
import type { Key } from './keys.ts'
import {
  BackspaceIcon,
  DownArrowIcon,
  EnterIcon,
  LeftArrowIcon,
  PasteIcon,
  RightArrowIcon,
  UpArrowIcon,
} from '../ui/icons.tsx'

const { terminal } = words

interface BarKey {
  readonly label: string
  readonly face: ReactNode
  readonly presses: Key
  readonly repeats?: boolean
}

const first: readonly BarKey[] = [
  { label: terminal.escape, face: terminal.labels.escape, presses: { key: 'Escape' } },
  { label: terminal.tab, face: terminal.labels.tab, presses: { key: 'Tab' } },
  { label: terminal.backTab, face: terminal.labels.backTab, presses: { key: 'BTab' } },
]
const second: readonly BarKey[] = [
  { label: terminal.left, face: <LeftArrowIcon />, presses: { key: 'Left' }, repeats: true },
  { label: terminal.up, face: <UpArrowIcon />, presses: { key: 'Up' }, repeats: true },
  { label: terminal.down, face: <DownArrowIcon />, presses: { key: 'Down' }, repeats: true },
  { label: terminal.right, face: <RightArrowIcon />, presses: { key: 'Right' }, repeats: true },
  { label: terminal.backspace, face: <BackspaceIcon />, presses: { key: 'BSpace' }, repeats: true },
  { label: terminal.enter, face: <EnterIcon />, presses: { key: 'Enter' } },
]

export interface KeyBarProps {
  readonly onKey: (key: Key) => void
  readonly onPaste: () => void
  /** Whether Ctrl is held for the next key. */
  readonly hasControl: boolean
  readonly onControl: () => void
}

/** The keys that a phone lacks. In landscape they are at the side. */
export function KeyBar({ onKey, onPaste, hasControl, onControl }: KeyBarProps) {
  const button = ({ label, face, repeats = false, presses }: (typeof first)[number]) => (
    <BarButton key={label} label={label} face={face} repeats={repeats} onPress={() => onKey(presses)} />
  )
  return (
    <div
      role="group"
      aria-label={terminal.keys}
      className="grid w-full grid-cols-6 gap-1.5 md:grid-cols-12 lying:grid-cols-3"
    >
      {first.map(button)}
      <BarButton
        label={terminal.control}
        face={terminal.labels.control}
        isHeld={hasControl}
        onPress={onControl}
      />
      <BarButton
        label={terminal.interrupt}
        face={terminal.labels.interrupt}
        onPress={() => onKey({ key: 'C-c' })}
      />
      <BarButton label={terminal.paste} face={<PasteIcon />} onPress={onPaste} />
      {second.map(button)}
    </div>
  )
}

function BarButton({
  label,
  face,
  repeats = false,
  isHeld,
  onPress,
}: {
  readonly label: string
  readonly face: ReactNode
  readonly repeats?: boolean
  readonly isHeld?: boolean
  readonly onPress: () => void
}) {
  const hold = useKeyRepeat(onPress, repeats)
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isHeld}
      title={label}
      className={classNames(
        'flex h-11 min-w-11 touch-manipulation items-center justify-center rounded-lg border text-sm font-medium select-none active:bg-accent-soft',
        isHeld ? 'border-accent bg-accent text-on-accent' : 'border-line bg-paper text-ink',
      )}
      {...hold}
    >
      {face}
    </button>
  )
}

const untilRepeatMs = 400
const betweenMs = 80

/** A key that repeats while it is held. It takes no focus, so that the on-screen keyboard stays open. */
function useKeyRepeat(press: () => void, repeats: boolean) {
  const timers = useRef<ReturnType<typeof setTimeout>[]>([])
  const latest = useRef(press)
  useEffect(() => {
    latest.current = press
  })
  const release = (): void => {
    for (const timer of timers.current) clearTimeout(timer)
    timers.current = []
  }
  useEffect(() => release, [])
  return {
    onPointerDown(event: PointerEvent) {
      event.preventDefault()
      if (event.button !== 0) return
      release()
      latest.current()
      if (!repeats) return
      timers.current.push(
        setTimeout(() => {
          timers.current.push(setInterval(() => latest.current(), betweenMs))
        }, untilRepeatMs),
      )
    },
    // A lifted finger would otherwise focus the button.
    onMouseDown: (event: { preventDefault(): void }) => event.preventDefault(),
    onPointerUp: release,
    onPointerLeave: release,
    onPointerCancel: release,
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
    // A click from the keyboard or a screen reader; pointers are handled above.
    onClick({ detail }: { readonly detail: number }) {
      if (detail === 0) latest.current()
    },
  }
}
