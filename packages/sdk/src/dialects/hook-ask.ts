import type { AskOption } from '@remora/protocol/plain'
import { computeDigest } from '../events/digest.ts'
import { asRecord, asString } from '../events/fields.ts'
import type { HookFields } from './hook-payloads.ts'

/** What a CLI asks a person before it lets a tool run. */
export interface HookAsk {
  /** The CLI's own id of the question; without one it is named by its place. */
  readonly id?: string | undefined
  readonly title: string
  readonly body?: string | undefined
  readonly toolUse?: string | undefined
  readonly options: readonly AskOption[]
}

/**
 * The session waits, and for what.
 *
 * @example toAskFields('Bash', { title: 'Allow Bash?', body: 'touch a', options })
 */
export function toAskFields(detail: string, { id, title, body, toolUse, options }: HookAsk): HookFields[] {
  // An answer counts for exactly this.
  const digest = computeDigest(JSON.stringify({ title, body, toolUse, options }))
  return [
    { type: 'status', status: 'waiting', detail },
    {
      type: 'ask',
      ...(id === undefined ? {} : { entity: id }),
      ask: {
        id: id ?? '',
        kind: 'permission',
        title,
        ...(body === undefined || body === '' ? {} : { body }),
        ...(toolUse === undefined ? {} : { toolUse }),
        options: [...options],
        digest,
      },
    },
  ]
}

/** A call as a person is shown it: the command or the file where there is one, else all of its input. */
export function formatInput(input: unknown): string | undefined {
  const fields = asRecord(input)
  if (!fields) return asString(input)
  const words = asString(fields['command']) ?? asString(fields['file_path'])
  return words ?? (Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields, null, 2))
}
