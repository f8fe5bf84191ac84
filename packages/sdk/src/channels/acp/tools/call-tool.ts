import { z } from 'zod'
import { BoundedText } from '../../../runs/bounded-text.ts'
import type { OfferedTool } from './offered-tools.ts'
import type { HostTool, ToolContext } from './tool.ts'
import type { ToolCall } from './tool-rules.ts'

/** How long an aborted call may run before it is undone anyway. */
const graceMs = 1000
const resultLength = 1_000_000

/** A call with valid input. */
export interface PreparedCall {
  readonly call: ToolCall
  readonly tool: HostTool
  readonly input: unknown
}

/** Validates the input and gets the files of a call. Throws errors for the model. */
export async function prepareCall(
  { tool, fitting: { key, schema } }: OfferedTool,
  given: Readonly<Record<string, unknown>>,
): Promise<PreparedCall> {
  const whole = await schema.safeParseAsync(given)
  const checked = !whole.success && key !== undefined ? await schema.safeParseAsync(given[key]) : whole
  if (!checked.success) throw new Error(`The input does not fit:\n${z.prettifyError(checked.error)}`)
  const input = checked.data
  const call = {
    name: tool.name,
    input,
    reads: [...(tool.reads?.(input) ?? [])],
    writes: [...(tool.writes?.(input) ?? [])],
  }
  return { call, tool, input }
}

/** Runs a call and returns its result as text. A failed or aborted call is undone first. */
export async function performCall({ tool, input }: PreparedCall, context: ToolContext): Promise<string> {
  context.signal.throwIfAborted()
  // Started in a promise, so that a synchronous throw becomes a rejection.
  const running = Promise.resolve().then(() => tool.run(input, context))
  try {
    return textOfResult(await untilAborted(running, context.signal))
  } catch (error) {
    if (!tool.undo) throw error
    await settled(running)
    throw await undone(tool, input, context, error)
  }
}

/** Formats a thrown value for the model. @example getErrorText(new Error('No such zone')) // 'No such zone' */
export function getErrorText(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || error.name
    return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
  } catch {
    return 'It failed and could not say why.'
  }
}

async function undone(tool: HostTool, input: unknown, context: ToolContext, error: unknown): Promise<Error> {
  try {
    await tool.undo?.(input, context)
    return new Error(`${getErrorText(error)}\nWhat the call had done was undone.`, { cause: error })
  } catch (fault) {
    return new Error(`${getErrorText(error)}\nUndoing it failed too: ${getErrorText(fault)}`, {
      cause: error,
    })
  }
}

function textOfResult(result: unknown): string {
  // Some models take an empty answer for a failure.
  if (result === undefined || result === '') return 'Done.'
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  if (text === undefined) throw new Error('The result cannot be converted to JSON.')
  const bounded = new BoundedText(resultLength)
  // Gemini CLI expects every JSON value to be an object, and fails the call otherwise.
  bounded.add(isBareValue(text) ? `Result: ${text}` : text)
  return bounded.toString()
}

function isBareValue(text: string): boolean {
  if (!/^\s*(?:[["\d-]|true|false|null)/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Settles even if the tool ignores its signal. */
async function untilAborted<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([running, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}

/** Undoing a call that still runs would leave half of it. */
async function settled(running: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([
    running.then(
      () => {},
      () => {},
    ),
    grace,
  ])
  clearTimeout(timer)
}
