import type { Block, LiveInfo } from '@remora/protocol'
import { type DragEvent, type FormEvent, useCallback, useRef, useState } from 'react'
import { client } from '../state/client.ts'
import { useIsViewer } from '../state/connection.ts'
import { toast } from '../state/toasts.ts'
import type { SessionKey } from '../wire/api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { MicIcon, SendIcon, StopIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { AttachButton } from './attach-button.tsx'
import { findCommand } from './completion.ts'
import { AttachmentList } from './attachment-list.tsx'
import { PromptField } from './prompt-field.tsx'
import { useContinue } from './use-continue.ts'
import { useCommands } from './use-suggestions.ts'
import { useDraft } from './use-draft.ts'
import { canRecognizeSpeech, useVoice } from './use-voice.ts'

export interface ComposerProps {
  readonly session: SessionKey
  readonly live: LiveInfo | undefined
}

/** The input for prompts. */
export function Composer({ session, live }: ComposerProps) {
  const { text, setText, attachments, clear } = useDraft(session, live?.id)
  const { isEnded, obstacle, isStarting, start } = useContinue(session, live)
  const [isDragOver, setDragOver] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const textBeforeSpeech = useRef('')
  const { isListening, toggle } = useVoice(
    (transcript) => setText(textBeforeSpeech.current + transcript),
    useCallback(() => {
      const before = field.current?.value ?? ''
      textBeforeSpeech.current = before === '' || /\s$/.test(before) ? before : `${before} `
    }, []),
  )
  const isViewer = useIsViewer()
  const isSlash = text.startsWith('/') && attachments.list.length === 0
  const { list: commands = [], state: commandsState } = useCommands(session, isSlash)
  const command = isSlash ? findCommand(text, commands) : undefined
  const isEmpty = text.trim() === '' && attachments.list.length === 0

  const send = async (): Promise<void> => {
    if (isEmpty || isStarting || obstacle !== undefined) return
    const content = toContent(text, attachments.list)
    if (!content) return toast(words.compose.waitForFiles, { kind: 'bad' })
    if (isListening) toggle()
    const target = isEnded ? await start() : session
    if (!target) return
    client.prompt(
      { agent: target.agent, session: target.session },
      { kind: 'prompt', content, promptKind: command ? 'slash' : undefined },
    )
    clear()
  }
  const onDrop = (event: DragEvent): void => {
    setDragOver(false)
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    attachments.add([...event.dataTransfer.files])
  }

  if (isViewer)
    return (
      <div className="pb-safe border-t border-line bg-raised">
        <ComposerNote text={words.compose.viewer} isStarting={false} onContinue={undefined} />
      </div>
    )
  if (obstacle !== undefined)
    return (
      <div className="pb-safe border-t border-line bg-raised">
        <ComposerNote text={obstacle} isStarting={false} onContinue={undefined} />
      </div>
    )
  const isMicShown = canRecognizeSpeech() && (isListening || isEmpty)
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void send()
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={onDrop}
      data-testid="composer"
      className="pb-safe border-t border-line bg-raised"
    >
      {isEnded && (
        <ComposerNote text={words.compose.ended} isStarting={isStarting} onContinue={() => void start()} />
      )}
      <div className="relative mx-auto w-full max-w-4xl px-2 pt-2">
        <div
          className={`rounded-2xl border bg-paper transition focus-within:border-accent ${isDragOver ? 'border-accent bg-accent-soft' : 'border-line'}`}
        >
          {isDragOver && <p className="px-4 pt-3 text-sm text-accent">{words.compose.drop}</p>}
          <AttachmentList attachments={attachments} />
          <div className="flex items-end">
            <AttachButton onFiles={attachments.add} />
            <div className="min-w-0 flex-1">
              <PromptField
                session={session}
                text={text}
                placeholder={isEnded ? words.compose.placeholderEnded : words.compose.placeholder}
                onText={setText}
                onSend={() => void send()}
                onFiles={attachments.add}
                field={field}
              />
            </div>
            {isMicShown && (
              <IconButton
                label={isListening ? words.compose.speakStop : words.compose.speak}
                aria-pressed={isListening}
                onClick={toggle}
                className={isListening ? 'animate-[breathe_1.2s_infinite] text-bad' : ''}
              >
                {isListening ? <StopIcon /> : <MicIcon />}
              </IconButton>
            )}
            <div className="p-1">
              <IconButton
                type="submit"
                label={words.compose.send}
                variant="primary"
                disabled={isEmpty || isStarting}
                className="relative size-9! min-h-9! rounded-full! before:absolute before:-inset-1"
              >
                <SendIcon />
              </IconButton>
            </div>
          </div>
          {isSlash && commandsState !== 'loading' && /^\/\S/.test(text) && (
            <p role="status" data-testid="prompt-kind" className="px-4 pb-2 text-sm text-dim">
              {command ? words.compose.asCommand(command.name) : words.compose.asText}
            </p>
          )}
          {isListening && (
            <p role="status" className="px-4 pb-2 text-sm text-dim">
              {words.compose.listening}
            </p>
          )}
        </div>
      </div>
    </form>
  )
}

/** Joins files and text. Files come first, because the text refers to them. Undefined while a file is uploading. */
function toContent(
  text: string,
  files: readonly { readonly upload?: { readonly block: Block } }[],
): Block[] | undefined {
  if (files.some(({ upload }) => upload === undefined)) return undefined
  const textBlocks = text.trim() === '' ? [] : [{ type: 'text' as const, text: text.trimEnd() }]
  return [...files.map(({ upload }) => upload!.block), ...textBlocks]
}

/** A note above or instead of the prompt field, with a button to resume the session if `onContinue` is given. */
function ComposerNote({
  text,
  isStarting,
  onContinue,
}: {
  readonly text: string
  readonly isStarting: boolean
  readonly onContinue: (() => void) | undefined
}) {
  return (
    <div className="border-b border-line last:border-b-0">
      <div className="mx-auto flex w-full max-w-4xl items-center gap-3 px-4 py-1.5">
        <p role="status" className="min-w-0 flex-1 text-sm text-dim">
          {isStarting ? words.compose.continuing : text}
        </p>
        {onContinue && (
          <Button onClick={onContinue} disabled={isStarting}>
            {words.compose.continue}
          </Button>
        )}
      </div>
    </div>
  )
}
