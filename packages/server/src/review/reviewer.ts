import { ledgerSink } from '@remora/intake'
import { type Event, RemoraError, type Usage, addUsage } from '@remora/protocol/plain'
import { run } from '@remora/sdk'
import { findAgent } from '@remora/sdk/hooks'
import type { Context } from '../core/context.ts'
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
  readonly onProgress: (progress: Partial<Reviewer>) => void
}

export type ReviewerResult = Pick<Reviewer, 'state'> & Partial<Reviewer>

const startupMs = 120_000

/**
 * Runs one reviewer as a headless session in `plan` mode. Its events are stored in the ledger, but the session is hidden
 * from lists.
 *
 * @example const { opinion } = await runReviewer({ context, agent: 'claude', prompt, cwd, … })
 */
export async function runReviewer(options: ReviewerRun): Promise<ReviewerResult> {
  const { context, agent, model, prompt, cwd, trust, timeoutMs, maxTokens, onProgress } = options
  const sink = ledgerSink(context.ledger)
  const overspent = new AbortController()
  const progress = new Progress(onProgress)
  try {
    const running = run(agent, {
      prompt,
      cwd,
      mode: 'plan',
      extraArgs: findAgent(agent)?.reviewArguments ?? [],
      output: Opinion,
      env: isolateEnv(context.env),
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
    const totals = {
      toolCalls,
      tokens: Math.max(progress.tokens, countTokens(usage)),
      ...(costUsd === undefined ? {} : { costUsd }),
    }
    if (ok) return { ...totals, state: 'done', opinion: data as Opinion }
    if (overspent.signal.aborted)
      return { ...totals, state: 'failed', error: (overspent.signal.reason as RemoraError).toJSON() }
    if (options.signal.aborted) return { ...totals, state: 'cancelled' }
    const { code, message, hint } = error ?? {
      code: 'unknown',
      message: 'The reviewer failed without a message',
      hint: undefined,
    }
    return { ...totals, state: 'failed', error: { code, message, ...(hint ? { hint } : {}) } }
  } catch (error) {
    return { state: 'failed', error: toReviewerError(error) }
  } finally {
    await sink
      .close()
      .catch((error: unknown) =>
        context.log('warn', 'Cannot store all events of a reviewer', { agent, error: String(error) }),
      )
    if (progress.session !== undefined) await hide(context, agent, progress.session)
  }
}

/** Reports the tool calls and tokens of a run. */
class Progress {
  session: string | undefined
  readonly #report: (progress: Partial<Reviewer>) => void
  readonly #usages = new Map<string, Usage>()
  #calls = 0

  constructor(report: (progress: Partial<Reviewer>) => void) {
    this.#report = report
  }

  get tokens(): number {
    return countTokens([...this.#usages.values()].reduce(addUsage, {}))
  }

  add(event: Event): void {
    if (event.type === 'tool_use') this.#report({ toolCalls: ++this.#calls, doing: event.name })
    else if (event.type === 'thinking' && event.subject) this.#report({ doing: event.subject.slice(0, 100) })
    else if (event.type === 'usage' && event.scope === 'message') {
      this.#usages.set(event.entity, event.usage)
      this.#report({ tokens: this.tokens })
    }
  }
}

function countTokens({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens
}

/** Replaces the environment of this process by the environment of the user. */
function isolateEnv(env: Context['env']): Record<string, string | undefined> {
  const hidden = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  return { ...hidden, ...env }
}

async function hide({ ledger, log }: Context, agent: string, session: string): Promise<void> {
  await ledger
    .annotate({ agent, session }, { hidden: true })
    .catch((error: unknown) =>
      log('warn', 'Cannot hide a review session', { agent, session, error: String(error) }),
    )
}

function toReviewerError(error: unknown): { code: string; message: string; hint?: string } {
  if (RemoraError.is(error)) return error.toJSON()
  return { code: 'unknown', message: error instanceof Error ? error.message : String(error) }
}
