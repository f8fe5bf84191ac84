import type { Answer, Ask, AskBroker, AskedCall } from '@remora/protocol/plain'
import { RemoraError } from '@remora/protocol/plain'
import { asRecord, asString } from '../../../events/fields.ts'
import type { Decision } from './decide.ts'
import type { Question } from './question.ts'

/** Asks a broker until it answers, the time is up, or the answer is no longer needed. */
export async function askPerson(question: Question, asks: AskBroker, signal: AbortSignal): Promise<Decision> {
  const { ask, agent, session } = question
  // Notifies the broker when the question is settled for any reason.
  const settled = new AbortController()
  const { promise: over, stop } = whenOver(ask, signal)
  try {
    const about = { agent, session, call: toAskedCall(question), signal: settled.signal }
    const asked = Promise.resolve().then(() => asks.ask(ask, about))
    // A broker may reject after the question is settled.
    asked.catch(() => {})
    const first = await Promise.race([asked.then((answer) => ({ answer })), over])
    if (first === 'cancel' || signal.aborted) return { by: 'cancel' }
    if (first === 'timeout') return timeout(ask)
    return fromAnswer(ask, first.answer)
  } catch (cause) {
    if (signal.aborted) return { by: 'cancel' }
    const reason = cause instanceof Error ? cause.message : String(cause)
    const problem = new RemoraError('unknown', `Could not ask the user "${ask.title}": ${reason}`, { cause })
    return { by: 'cancel', problem }
  } finally {
    stop()
    settled.abort(new RemoraError('aborted', `The question "${ask.title}" is settled`))
  }
}

/** The facts for a broker that decides by rules. */
function toAskedCall({ cwd, call, kind, paths, command }: Question): AskedCall {
  return {
    cwd,
    ...call,
    paths,
    ...(kind === undefined ? {} : { kind }),
    ...(command === undefined ? {} : { command }),
  }
}

/** A timeout refuses. */
function timeout(ask: Ask): Decision {
  const option = ask.options.find(({ effect }) => effect === 'deny')
  return { ...(option ? { option } : {}), by: 'timeout' }
}

/** An answer is accepted only for exactly this question, because brokers relay answers from elsewhere. */
function fromAnswer(ask: Ask, value: Answer): Decision {
  const answer = asRecord(value)
  if (!answer) return wrong('input', `The answer to "${ask.title}" is not an object`)
  if (answer['ask'] !== ask.id)
    return wrong('conflict', `The answer to "${ask.title}" belongs to another question`)
  if (answer['digest'] !== ask.digest)
    return wrong('conflict', `The answer to "${ask.title}" belongs to another version of it`)
  const by = answer['by']
  const id = asString(answer['option'])
  if (by === 'timeout') return timeout(ask)
  if (by !== 'person' && by !== 'terminal' && by !== 'policy' && by !== 'cancel')
    return wrong('input', `The answer to "${ask.title}" does not say who answered`)
  const option = ask.options.find((one) => one.id === id)
  if (id !== undefined && !option) return wrong('input', `"${ask.title}" has no option ${id}`)
  const text = asString(answer['text'])
  if (!option && text !== undefined && ask.freeText !== true)
    return wrong('input', `"${ask.title}" accepts only its options, no text`)
  if (by === 'cancel' || (!option && text === undefined)) return { by: 'cancel' }
  const device = asString(answer['device'])
  return {
    ...(option ? { option } : {}),
    ...(text === undefined ? {} : { text }),
    by: by === 'terminal' ? 'person' : by,
    ...(device === undefined ? {} : { device }),
  }
}

function wrong(code: 'conflict' | 'input', message: string): Decision {
  return { by: 'cancel', problem: new RemoraError(code, message) }
}

// The maximum delay of a timer, 24 days.
const longest = 2 ** 31 - 1

function whenOver(
  ask: Ask,
  signal: AbortSignal,
): { promise: Promise<'cancel' | 'timeout'>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  let stop = (): void => {}
  const promise = new Promise<'cancel' | 'timeout'>((resolve) => {
    const cancel = () => resolve('cancel')
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    const look = () => {
      const left = (ask.expiresAt ?? Infinity) - Date.now()
      if (left <= 0) resolve('timeout')
      else if (left < Infinity) timer = setTimeout(look, Math.min(left, longest))
    }
    look()
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  })
  return { promise, stop }
}
