import type { FileView } from '@remora/protocol/api'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { findGrammar, findLanguage } from '../code/languages.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { Empty } from '../ui/empty.tsx'
import { words } from '../words/index.ts'
import { TextBlock } from './text-block.tsx'
import { useWraps, WrapButton } from './wrap-button.tsx'
import { toast, toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { Lines, pageLines } from './lines.ts'
import { mask } from '@remora/protocol/plain'
import { copy } from '../browser/copy.ts'
import { IconButton } from '../ui/button.tsx'
import { CopyIcon, ShareIcon } from '../ui/icons.tsx'

export interface FileTextProps {
  readonly path: string
  readonly view: Extract<FileView, { kind: 'text' }>
  readonly line: number | undefined
}

const blockLines = 100
const linePixels = 20

/** A text of any length. Only visible lines are drawn and fetched. */
export function FileText({ path, view, line }: FileTextProps) {
  const { lines, need } = useLines(path, view)
  const [wraps, setWraps] = useWraps()
  const scroller = useRef<HTMLDivElement>(null)
  const language = useMemo(() => findGrammar(view.language) ?? findLanguage(path), [view.language, path])
  const blocks = Math.ceil(lines.total / blockLines)
  const getHeight = (block: number): number =>
    Math.min(blockLines, lines.total - block * blockLines) * linePixels
  const virtualizer = useVirtualizer({
    count: blocks,
    getScrollElement: () => scroller.current,
    estimateSize: getHeight,
    overscan: 1,
    paddingStart: 8,
    paddingEnd: 24,
  })
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index
  const last = items.at(-1)?.index

  useEffect(() => {
    if (first !== undefined && last !== undefined)
      need(first * blockLines + 1, (last - first + 1) * blockLines)
  })
  useEffect(() => virtualizer.measure(), [wraps, virtualizer])
  useJump(scroller, line, view)

  const width = String(lines.total).length
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center border-b border-line bg-raised pr-1 pl-4 text-sm text-dim">
        <p className="min-w-0 flex-1 truncate">
          {words.files.lines(lines.total)} · {words.files.bytes(view.size)}
          {view.cut && ` · ${words.files.cut}`}
        </p>
        <WrapButton wraps={wraps} onChange={setWraps} />
        <ShareButtons path={path} name={view.name} />
      </div>
      {view.size === 0 ? (
        <Empty title={words.files.emptyFile} />
      ) : (
        <div
          ref={scroller}
          tabIndex={0}
          role="group"
          aria-label={`${words.files.text} ${replaceInvisible(view.name)}`}
          dir="ltr"
          data-testid="file-text"
          className="min-h-0 flex-1 overflow-auto overscroll-contain bg-raised font-mono text-[0.8125rem] leading-5 focus-visible:-outline-offset-2"
        >
          <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
            {items.map(({ key, index, start }) => (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={wraps ? 'absolute top-0 left-0 w-full' : 'absolute top-0 left-0 w-max min-w-full'}
                style={{ transform: `translateY(${start}px)` }}
              >
                <TextBlock
                  of={lines}
                  from={index * blockLines + 1}
                  lines={lines.range(index * blockLines + 1, blockLines)}
                  height={getHeight(index)}
                  language={language}
                  marked={line}
                  width={width}
                  wraps={wraps}
                />
              </div>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

/** Scrolls to a line: first to its estimated position, then to the drawn line. */
function useJump(
  scroller: { readonly current: HTMLElement | null },
  line: number | undefined,
  view: FileTextProps['view'],
): void {
  useLayoutEffect(() => {
    const place = scroller.current
    if (!place || line === undefined) return undefined
    place.scrollTop = Math.max(0, (line - 1) * linePixels - place.clientHeight / 3)
    let left = 20
    let frame = requestAnimationFrame(function check() {
      const found = place.querySelector(`[data-line="${line}"]`)
      found?.scrollIntoView({ block: 'center', inline: 'nearest' })
      left -= found ? 8 : 1
      if (left > 0) frame = requestAnimationFrame(check)
    })
    return () => cancelAnimationFrame(frame)
  }, [scroller, line, view])
}

type TextView = Extract<FileView, { kind: 'text' }>

/** The lines of a file, loaded on request. */
function useLines(path: string, view: TextView) {
  const lines = useMemo(() => {
    const made = new Lines(view.lines)
    made.put(view.from, view.text)
    return made
  }, [view])
  const [, setCount] = useState(0)
  const need = useCallback(
    (from: number, count: number) => {
      const start = lines.wanted(from, count)
      if (start === undefined) return
      api.get('/api/files', { query: { path, from: start, count: pageLines } }).then(
        (came) => {
          // The file may have changed its type meanwhile.
          if (came.kind === 'text') lines.put(start, came.text)
          else lines.failed(start)
          setCount((before) => before + 1)
        },
        (error: unknown) => {
          lines.failed(start)
          toastError(error)
        },
      )
    },
    [lines, path],
  )
  return { lines, need }
}

/** The limit for copying. */
const maxLines = 10_000

/** Copies the text, or shares it where the device can. */
function ShareButtons({ path, name }: { readonly path: string; readonly name: string }) {
  const withText = async (use: (text: string) => void | Promise<void>): Promise<void> => {
    try {
      const view = await api.get('/api/files', { query: { path, from: 1, count: maxLines } })
      if (view.kind !== 'text') return
      await use(view.text)
      if (view.cut || view.lines > maxLines) toast(words.files.copiedSome(view.text.split('\n').length))
    } catch (error) {
      // Closing the share sheet is not an error.
      if (!(error instanceof DOMException && error.name === 'AbortError')) toastError(error)
    }
  }
  const canShare = typeof navigator.share === 'function'
  return (
    <>
      <IconButton label={words.files.copyText} onClick={() => void withText(copy)}>
        <CopyIcon />
      </IconButton>
      {canShare && (
        <IconButton
          label={words.files.share}
          onClick={() => void withText((text) => navigator.share({ title: name, text: mask(text) }))}
        >
          <ShareIcon />
        </IconButton>
      )}
    </>
  )
}
