import type { Answer } from '@remora/protocol'
import { useState } from 'react'
import { client } from '../state/client.ts'
import type { PendingAsk } from '../state/live.ts'
import { ApiError } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { toAskKey, keepText } from './open-ask.ts'

export interface Answering {
  /** The answer that is being sent. */
  readonly sent: { readonly option?: string; readonly text?: string } | undefined
  readonly problem: { readonly message: string; readonly hint?: string | undefined } | undefined
  /** The recorded decision, once the server confirms it. */
  readonly outcome: Answer | undefined
  readonly answer: (choice: { readonly option?: string; readonly text?: string }) => void
}

/** Sends one decision about exactly the content on screen. The state resets when the content changes. */
export function useAnswer(pending: PendingAsk): Answering {
  const content = toAskKey(pending)
  const [state, setState] = useState<{
    readonly content: string
    readonly sent?: Answering['sent']
    readonly problem?: Answering['problem']
    readonly outcome?: Answer | undefined
  }>({ content })
  const now = state.content === content ? state : { content }

  const answer: Answering['answer'] = (choice) => {
    if (now.sent) return
    const { ask, agent, session } = pending
    setState({ content, sent: choice })
    client.command({ agent, session }, { kind: 'answer', ask: ask.id, digest: ask.digest, ...choice }).then(
      ({ answer: outcome }) => {
        keepText(content, '')
        setState({ content, sent: choice, outcome })
      },
      (error: unknown) => setState({ content, problem: toProblem(error) }),
    )
  }
  return { sent: now.sent, problem: now.problem, outcome: now.outcome, answer }
}

function toProblem(error: unknown): NonNullable<Answering['problem']> {
  if (!(error instanceof ApiError)) return { message: words.app.failed, hint: String(error) }
  if (error.code === 'network') return { message: words.asks.unknown }
  return { message: error.message, hint: error.hint }
}
