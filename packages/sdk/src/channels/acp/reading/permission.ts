import type { Answer, Ask, AskOption } from '@remora/protocol/plain'
import { computeDigest } from '../../../events/digest.ts'
import { asRecord, asString, findOwn } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { readText } from './content.ts'
import type { KnownCall } from './tool-calls.ts'

/** A permission request without a reply. */
export interface PermissionRequest {
  readonly ask: Ask
}

const effects: Readonly<Record<string, AskOption['effect']>> = {
  allow_once: 'allow',
  allow_always: 'allow_always',
  reject_once: 'deny',
  reject_always: 'deny_always',
}

/** The ask in a `session/request_permission`. @example readPermission(params, 'connection/ask/0').ask.options */
export function readPermission(params: AgentRecord, id: string): PermissionRequest {
  const call = asRecord(params['toolCall']) ?? {}
  const title = asString(call['title']) ?? 'The agent asks for permission'
  const body = formatBody(call)
  const toolUse = asString(call['toolCallId'])
  const options = Array.isArray(params['options']) ? (params['options'] as unknown[]).map(toAskOption) : []
  // An answer is valid only for exactly this request, not for a later one in its place.
  const digest = computeDigest(JSON.stringify({ title, body, toolUse, options, input: call['rawInput'] }))
  return {
    ask: {
      id,
      kind: 'permission',
      title,
      ...(body === '' ? {} : { body }),
      ...(toolUse === undefined ? {} : { toolUse }),
      options,
      digest,
    },
  }
}

/** Adds the call of an ask, mapped to Claude's tool. The digest covers it as well. */
export function addCall(ask: Ask, id: string, call: KnownCall | undefined): void {
  ask.toolUse = id
  if (!call) return
  ask.tool = call.name
  if (call.input !== undefined) ask.input = call.input
  ask.digest = computeDigest(JSON.stringify([ask.digest, call.name, call.input]))
}

/** Removes every way to allow a request of which only a part is known, so that no policy and no surface allows it. */
export function withholdAllow(ask: Ask): void {
  // The id of its call may be that of another.
  delete ask.toolUse
  ask.options = ask.options.filter(({ effect }) => effect === 'deny' || effect === 'deny_always')
  ask.body = [ask.body, incompleteNote].filter(Boolean).join('\n\n')
  ask.digest = computeDigest(JSON.stringify([ask.digest, ask.options]))
}

const incompleteNote = 'The agent did not send the whole request, so it can only be denied here.'

function toAskOption(value: unknown): AskOption {
  const option = asRecord(value) ?? {}
  const id = asString(option['optionId']) ?? ''
  return {
    id,
    label: asString(option['name']) ?? id,
    effect: findOwn(effects, asString(option['kind'])) ?? 'other',
  }
}

/** Formats the displayed content of the call: its text and its changes. */
function formatBody(call: AgentRecord): string {
  const content = Array.isArray(call['content']) ? (call['content'] as unknown[]) : []
  return content
    .map((value) => {
      const entry = asRecord(value) ?? {}
      if (entry['type'] !== 'diff') return readText(entry['content']) ?? ''
      const before = asString(entry['oldText']) ?? ''
      const marked = (sign: string, text: string) =>
        text === ''
          ? []
          : text
              .replace(/\n$/, '')
              .split('\n')
              .map((line) => `${sign}${line}`)
      const lines = [...marked('-', before), ...marked('+', asString(entry['newText']) ?? '')]
      return [asString(entry['path']) ?? '', ...lines].join('\n')
    })
    .filter((text) => text !== '')
    .join('\n\n')
}

/** Reads the decision, and the status of a call that must not run. */
export function settled(
  { ask }: PermissionRequest,
  result: AgentRecord | undefined,
  decided: Pick<Answer, 'by' | 'device'> = { by: 'person' },
): { answer: Answer; refused?: 'denied' | 'cancelled' } {
  const outcome = asRecord(result?.['outcome'])
  const option = outcome?.['outcome'] === 'selected' ? asString(outcome['optionId']) : undefined
  if (option === undefined)
    return { answer: { ask: ask.id, by: 'cancel', digest: ask.digest }, refused: 'cancelled' }
  const effect = ask.options.find(({ id }) => id === option)?.effect
  const refused = effect === 'deny' || effect === 'deny_always' ? ({ refused: 'denied' } as const) : {}
  return { answer: { ask: ask.id, option, ...decided, digest: ask.digest }, ...refused }
}
