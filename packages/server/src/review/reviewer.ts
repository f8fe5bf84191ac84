import { ledgerSink } from '@remora/intake'
import { type Event, type Usage, RemoraError, addUsage } from '@remora/protocol/plain'
import { run } from '@remora/sdk'
import type { Context } from '../core/context.ts'
import { readOnlyArguments } from './read-only.ts'
import { Opinion, type Reviewer } from '@remora/protocol/api'

export interface ReviewerRun {
  readonly context: Context
  readonly agent: string
  readonly model?: string
  readonly prompt: string
  readonly cwd: string
  readonly trust: boolean
  readonly timeoutMs: number
  readonly maxTokens?: number
  readonly signal: AbortSignal
  /** What is new about it. */
  readonly onProgress: (progress: Partial<Reviewer>) => void
}

/** What it came to. */
export type ReviewerEnd = Pick<Reviewer, 'state'> & Partial<Reviewer>

const startupMs = 120_000

/**
 * One reviewer: a session of its own, headless and in the mode in which an agent only reads. Its events go into the ledger
 * like those of any other session; it is hidden from lists.
 *
 * @example const { opinion } = await runReviewer({ context, agent: 'claude', prompt, cwd, … })
 */
export async function runReviewer(options: ReviewerRun): Promise<ReviewerEnd> {
  const { context, agent, model, prompt, cwd, trust, timeoutMs, maxTokens, onProgress } = options
  const sink = ledgerSink(context.ledger)
  const overspent = new AbortController()
  const progress = new Progress(onProgress)
  try {
    const running = run(agent, {
      prompt,
      cwd,
      mode: 'plan',
      extraArgs: readOnlyArguments(agent),
      output: Opinion,
      env: only(context.env),
      sink,
      signal: AbortSignal.any([options.signal, overspent.signal]),
      timeouts: { startup: Math.min(startupMs, timeoutMs), total: timeoutMs },
      ...(model === undefined ? {} : { model }),
      ...(trust ? { skipTrust: true } : {}),
    })
    for await (const event of running) {
      if (event.session !== '' && progress.session === undefined) {
        progress.session = event.session
        onProgress({ session: event.session })
        await sink.flush()
        await hide(context, agent, event.session)
      }
      progress.add(event)
      if (maxTokens !== undefined && progress.tokens > maxTokens && !overspent.signal.aborted)
        overspent.abort(new RemoraError('budget', `The reviewer used more than ${maxTokens} tokens`))
    }
    const { ok, data, error, costUsd, usage, toolCalls } = await running.result
    const told = {
      toolCalls,
      tokens: Math.max(progress.tokens, tokensOf(usage)),
      ...(costUsd === undefined ? {} : { costUsd }),
    }
    if (ok) return { ...told, state: 'done', opinion: data as Opinion }
    if (overspent.signal.aborted)
      return { ...told, state: 'failed', error: (overspent.signal.reason as RemoraError).toJSON() }
    if (options.signal.aborted) return { ...told, state: 'cancelled' }
    const { code, message, hint } = error ?? {
      code: 'unknown',
      message: 'The reviewer failed without a message',
      hint: undefined,
    }
    return { ...told, state: 'failed', error: { code, message, ...(hint ? { hint } : {}) } }
  } catch (error) {
    return { state: 'failed', error: failureOf(error) }
  } finally {
    await sink
      .close()
      .catch((error: unknown) =>
        context.log('warn', 'What a reviewer did is not all in the ledger', { agent, error: String(error) }),
      )
    if (progress.session !== undefined) await hide(context, agent, progress.session)
  }
}

/** Follows a run from afar. */
class Progress {
  session: string | undefined
  readonly #told: (progress: Partial<Reviewer>) => void
  readonly #usages = new Map<string, Usage>()
  #calls = 0

  constructor(told: (progress: Partial<Reviewer>) => void) {
    this.#told = told
  }

  get tokens(): number {
    return tokensOf([...this.#usages.values()].reduce(addUsage, {}))
  }

  add(event: Event): void {
    if (event.type === 'tool_use') this.#told({ toolCalls: ++this.#calls, doing: event.name })
    else if (event.type === 'thinking' && event.subject) this.#told({ doing: event.subject.slice(0, 100) })
    else if (event.type === 'usage' && event.scope === 'message') {
      this.#usages.set(event.entity, event.usage)
      this.#told({ tokens: this.tokens })
    }
  }
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens
}

/** Nothing of this process's own surroundings reaches the agent: those of the user count. */
function only(env: Context['env']): Record<string, string | undefined> {
  const hidden = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  return { ...hidden, ...env }
}

async function hide({ ledger, log }: Context, agent: string, session: string): Promise<void> {
  await ledger
    .annotate({ agent, session }, { hidden: true })
    .catch((error: unknown) =>
      log('warn', 'A review could not be hidden', { agent, session, error: String(error) }),
    )
}

function failureOf(error: unknown): { code: string; message: string; hint?: string } {
  if (RemoraError.is(error)) return error.toJSON()
  return { code: 'unknown', message: error instanceof Error ? error.message : String(error) }
}
