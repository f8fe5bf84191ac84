import { useCallback, useEffect, useRef, useState } from 'react'
import { toast } from '../state/toasts.ts'
import { words } from '../words/index.ts'

interface Recognition extends EventTarget {
  lang: string
  interimResults: boolean
  continuous: boolean
  start(): void
  stop(): void
  abort(): void
}
interface Heard extends Event {
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }>>
}
interface Failed extends Event {
  readonly error: string
}

type Window = { SpeechRecognition?: new () => Recognition; webkitSpeechRecognition?: new () => Recognition }

/** Whether the browser supports speech recognition. */
export function canRecognizeSpeech(): boolean {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Window
  return (SpeechRecognition ?? webkitSpeechRecognition) !== undefined
}

export interface Voice {
  readonly isListening: boolean
  toggle(): void
}

/** Recognizes speech in the language of the device and reports interim results. */
export function useVoice(onHeard: (text: string) => void, onStart: () => void): Voice {
  const [isListening, setListening] = useState(false)
  const running = useRef<Recognition>(undefined)
  const latestOnHeard = useRef(onHeard)
  useEffect(() => void (latestOnHeard.current = onHeard), [onHeard])
  useEffect(() => () => running.current?.abort(), [])

  const toggle = useCallback(() => {
    if (running.current) return running.current.stop()
    const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Window
    const Made = SpeechRecognition ?? webkitSpeechRecognition
    if (!Made) return
    const recognition = new Made()
    recognition.lang = navigator.language
    recognition.interimResults = true
    // Some browsers repeat results in continuous mode.
    recognition.continuous = false
    recognition.addEventListener('result', (event) => {
      const { results } = event as Heard
      latestOnHeard.current(Array.from(results, (result) => result[0]?.transcript ?? '').join(''))
    })
    recognition.addEventListener('error', (event) => {
      const { error } = event as Failed
      if (error !== 'aborted') toast(words.compose.voice[error] ?? words.compose.voiceFailed, { kind: 'bad' })
    })
    recognition.addEventListener('end', () => {
      running.current = undefined
      setListening(false)
    })
    onStart()
    try {
      recognition.start()
    } catch {
      toast(words.compose.voiceFailed, { kind: 'bad' })
      return
    }
    running.current = recognition
    setListening(true)
  }, [onStart])
  return { isListening, toggle }
}
