import type { LiveInfo } from '@remora/protocol'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { routes } from '../navigation/routes.ts'
import { copy } from '../browser/copy.ts'
import { client } from '../state/client.ts'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { local } from '../state/local.ts'
import { toast } from '../state/toasts.ts'
import type { SessionKey } from '../wire/api.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { CopyIcon, LargerIcon, SmallerIcon } from '../ui/icons.tsx'
import { ModeName } from '../ui/mode-name.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { boundedZoom, pinchSteps } from './fit.ts'
import { type Key, textKeys, toKey, withControl } from './keys.ts'
import { Screen } from './screen.ts'
import { TypingBar } from './typing-bar.tsx'

export interface TerminalViewProps {
  readonly session: SessionKey
  readonly live: LiveInfo
}

/** On touch screens typing must be turned on, because a stray tap must not answer a dialog. */
const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches

/** The agent's screen, with a way to send keys. */
export function TerminalView({ session, live }: TerminalViewProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const typeSwitch = useRef<HTMLButtonElement>(null)
  const screen = useRef<Screen>(undefined)
  const [text, setText] = useState('')
  const [zoom, setZoom] = useState(() => boundedZoom(local.read<number>('terminal-zoom') ?? 0))
  const [wantsToType, setTyping] = useState(() => !isTouched())
  const [hasControl, setControl] = useState(false)
  const isOnline = useConnection(({ state }) => state === 'online')
  const hasEnded = live.state === 'ended'
  const isViewer = useIsViewer()
  const isTyping = wantsToType && !hasEnded && !isViewer

  useEffect(() => {
    if (!scroller.current || !place.current) return undefined
    const shown = new Screen({ scroller: scroller.current, place: place.current, onText: setText })
    screen.current = shown
    if (!isTouched()) scroller.current.focus()
    return () => {
      screen.current = undefined
      shown.close()
    }
  }, [])
  useEffect(
    () => (hasEnded ? undefined : client.screen(live.id, (message) => screen.current?.show(message))),
    [live.id, hasEnded],
  )
  useEffect(() => {
    screen.current?.zoom(zoom)
    local.write('terminal-zoom', zoom === 0 ? undefined : zoom)
  }, [zoom])
  usePinch(scroller, zoom, (steps) => setZoom(boundedZoom(steps)))

  const send = (keys: readonly Key[]): void => {
    if (keys.length === 0) return
    screen.current?.follow()
    if (!client.send({ type: 'keys', live: live.id, keys: [...keys] }))
      toast(words.connection.none, { kind: 'bad' })
  }
  const press = (key: Key): void => {
    send([hasControl ? withControl(key) : key])
    setControl(false)
  }
  const paste = (pasted: string): void => send(textKeys(pasted))

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isTyping) return
    if (event.key === 'F6') {
      event.preventDefault()
      return typeSwitch.current?.focus()
    }
    // Ctrl+C copies a selection.
    const isCopy = event.ctrlKey && event.key === 'c' && screen.current?.selection !== ''
    const isPaste = event.ctrlKey && event.key === 'v'
    if (isCopy || isPaste) return
    const key = toKey(event.nativeEvent)
    if (!key) return
    event.preventDefault()
    press(key)
  }
  const name = useAgentNames()(live.agent)
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader
        back={routes.session(session)}
        title={
          <span className="flex items-center gap-2.5 py-1">
            <AgentMark agent={live.agent} className="size-8" />
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate leading-5">
                {live.title ?? name}
              </span>
              <span className="block truncate text-xs leading-4 font-normal text-dim">
                <ModeName live={live} />
              </span>
            </span>
          </span>
        }
      >
        <IconButton label={words.terminal.smaller} onClick={() => setZoom(boundedZoom(Math.round(zoom) - 1))}>
          <SmallerIcon />
        </IconButton>
        <IconButton label={words.terminal.larger} onClick={() => setZoom(boundedZoom(Math.round(zoom) + 1))}>
          <LargerIcon />
        </IconButton>
        <IconButton label={words.terminal.copy} onClick={() => copy(screen.current?.text() ?? '')}>
          <CopyIcon />
        </IconButton>
      </ScreenHeader>
      <div className="flex min-h-0 flex-1 flex-col lying:flex-row">
        <div
          ref={scroller}
          tabIndex={0}
          role="group"
          aria-label={words.terminal.screen(name)}
          data-testid="terminal"
          onKeyDown={onKeyDown}
          onPasteCapture={(event) => {
            event.preventDefault()
            event.stopPropagation()
            if (isTyping) paste(event.clipboardData.getData('text'))
          }}
          onClick={() => {
            if (isTyping && isTouched()) field.current?.focus()
          }}
          className={classNames(
            'min-h-0 min-w-0 flex-1 touch-pan-x touch-pan-y overflow-auto overscroll-contain bg-paper p-2 font-mono focus-visible:-outline-offset-2',
            (hasEnded || !isOnline) && 'opacity-60',
          )}
        >
          {/* Touch scrolls; the mouse selects text. */}
          <div ref={place} className="w-max pointer-coarse:pointer-events-none" />
          <section className="sr-only" aria-label={words.terminal.text}>
            <pre className="whitespace-pre!" data-testid="terminal-text">
              {text}
            </pre>
          </section>
        </div>
        <TypingBar
          field={field}
          typeSwitch={typeSwitch}
          isTyping={isTyping}
          hasEnded={hasEnded}
          session={session}
          onTyping={(typing) => {
            setTyping(typing)
            if (typing && !isTouched()) scroller.current?.focus()
          }}
          hasControl={hasControl}
          onControl={() => setControl(!hasControl)}
          onKey={press}
          onKeys={send}
          onPaste={paste}
        />
      </div>
    </section>
  )
}

/** Pinching zooms the text instead of the page. */
function usePinch(element: RefObject<HTMLElement | null>, zoom: number, onZoom: (zoom: number) => void) {
  const latest = useRef({ zoom, onZoom })
  useEffect(() => {
    latest.current = { zoom, onZoom }
  })
  useEffect(() => {
    const place = element.current
    if (!place) return undefined
    const over = new AbortController()
    const { signal } = over
    let begun: { readonly apart: number; readonly zoom: number } | undefined
    place.addEventListener(
      'touchstart',
      ({ touches }) => {
        begun = touches.length === 2 ? { apart: distance(touches), zoom: latest.current.zoom } : undefined
      },
      { signal, passive: true },
    )
    place.addEventListener(
      'touchmove',
      (event) => {
        if (!begun || event.touches.length !== 2) return
        event.preventDefault()
        latest.current.onZoom(begun.zoom + pinchSteps(begun.apart, distance(event.touches)))
      },
      { signal, passive: false },
    )
    place.addEventListener('touchend', () => (begun = undefined), { signal, passive: true })
    return () => over.abort()
  }, [element])
}

function distance(touches: TouchList): number {
  const [one, two] = touches
  return one && two ? Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) : 0
}
