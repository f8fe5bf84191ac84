import type { HighlightAnswer, HighlightQuestion } from './kinds.ts'
import type { GrammarName } from './languages.ts'
// oxlint-disable-next-line import/default -- the bundler gives the address of what it makes of the file
import workerAddress from './highlight-worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

/** Longer code is not highlighted. */
export const highlightLines = 2_000
export const highlightCharacters = 200_000

const keptTexts = 300
const done = new Map<string, Promise<Uint32Array | undefined>>()
const waiting = new Map<number, (spans: Uint32Array | undefined) => void>()
let worker: Worker | undefined
let count = 0

/**
 * Finds highlighting spans in a worker, so that large texts do not block the page. Results are cached for
 * scrolling back.
 */
export function highlight(code: string, language: GrammarName): Promise<Uint32Array | undefined> {
  const key = `${language}\0${code}`
  const before = done.get(key)
  if (before) return before
  const answer = ask(code, language).then((spans) => {
    if (!spans) done.delete(key)
    return spans
  })
  done.set(key, answer)
  if (done.size > keptTexts) done.delete(done.keys().next().value!)
  return answer
}

function ask(code: string, language: GrammarName): Promise<Uint32Array | undefined> {
  worker ??= start()
  if (!worker) return Promise.resolve(undefined)
  const id = ++count
  const question: HighlightQuestion = { id, code, language }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker.postMessage(question)
  return new Promise((resolve) => waiting.set(id, resolve))
}

function start(): Worker | undefined {
  try {
    const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
    const policy = trustedTypes?.createPolicy('remora-highlight', { createScriptURL: () => workerAddress })
    const started = new Worker(policy?.createScriptURL('') ?? workerAddress, { type: 'module' })
    started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
      waiting.get(data.id)?.(data.spans)
      waiting.delete(data.id)
    })
    started.addEventListener('error', () => {
      for (const resolve of waiting.values()) resolve(undefined)
      waiting.clear()
    })
    return started
  } catch {
    // Code is readable without colours.
    return undefined
  }
}
