import type { HookPayloadReader } from '../../contract/agent.ts'
import type { AskOption, Event } from '@remora/protocol/plain'
import { classifyError } from '../../events/classify-error.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import {
  type HookFields,
  makeHookEvents,
  toAskFields,
  toWorkingFields,
} from '../../dialects/hook-payloads.ts'
import { toCall, toFailure, toPrompt, toUsage } from './parts.ts'
import { formatModel, getTitle } from './row-events.ts'

/**
 * Reads the payloads of our plugin. They do not contain the assistant's text.
 *
 * @example hookReader(maker).read({ hook_event_name: 'chat.message', session_id: 'a', output: { … } })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  /** The sessions of sub-agents, with the sessions that started them. */
  const parents = latest(asRecord(state)?.['parents'])
  /** Open permission requests, as they were shown. */
  const asked = latest(asRecord(state)?.['asked'])
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const session = asString(payload['session_id'])
      const info = asRecord(readEvent(payload).properties['info'])
      const parent = asString(info?.['parentID'])
      if (session !== undefined && asString(info?.['id']) === session && parent !== undefined)
        keep(parents, session, parents.get(parent) ?? parent)
      const root = session === undefined ? undefined : parents.get(session)
      // The work of a sub-agent belongs to a call that its payloads do not name.
      if (root !== undefined)
        return makeHookEvents(
          maker,
          { ...payload, session_id: root },
          [toWorkingFields('sub-agent')],
          payload,
        )
      const fields = fieldsFor(payload, asked)
      // OpenCode also reports events of its own that belong to no conversation.
      return session === undefined ? fields && [] : fields && makeHookEvents(maker, payload, fields)
    },
    state: () => ({ parents: [...parents], asked: [...asked] }),
  }
}

function latest(stored: unknown): Map<string, string> {
  const pairs = Array.isArray(stored) ? (stored as unknown[]) : []
  return new Map(pairs.filter((pair) => Array.isArray(pair)) as [string, string][])
}

function keep(known: Map<string, string>, key: string, value: string): void {
  known.set(key, value)
  if (known.size > 200) known.delete(known.keys().next().value!)
}

function readEvent(payload: AgentRecord): { type: string; properties: AgentRecord } {
  const event = asRecord(payload['event'])
  return { type: asString(event?.['type']) ?? '', properties: asRecord(event?.['properties']) ?? {} }
}

function fieldsFor(payload: AgentRecord, asked: Map<string, string>): HookFields[] | undefined {
  const input = asRecord(payload['input']) ?? {}
  const output = asRecord(payload['output']) ?? {}
  switch (payload['hook_event_name']) {
    case 'event': {
      const { type, properties } = readEvent(payload)
      return type.startsWith('permission.') ? permission(type, properties, asked) : happened(type, properties)
    }
    case 'chat.message':
      return prompt(output)
    case 'tool.execute.before': {
      const state = { status: 'running', input: output['args'] }
      const call = toCall({ ...input, state }, undefined)
      return call && [call.use]
    }
    case 'tool.execute.after': {
      const state = { status: 'completed', input: input['args'], ...output }
      const call = toCall({ ...input, state }, undefined)
      return call?.result && [call.use, call.result]
    }
    default:
      return undefined
  }
}

function prompt(output: AgentRecord): HookFields[] | undefined {
  const id = asString(asRecord(output['message'])?.['id'])
  const parts = Array.isArray(output['parts']) ? (output['parts'] as unknown[]) : []
  if (id === undefined) return undefined
  const { content } = toPrompt(parts.map((part) => asRecord(part) ?? {}))
  return content.length === 0
    ? [toWorkingFields('chat.message')]
    : [{ type: 'message', entity: id, role: 'user', content }]
}

function happened(type: string, properties: AgentRecord): HookFields[] | undefined {
  const info = asRecord(properties['info']) ?? {}
  switch (type) {
    case 'session.created':
    case 'session.updated':
      return [session(info)]
    case 'message.updated':
      return info['role'] === 'assistant' ? answer(info) : [toWorkingFields(type)]
    case 'session.status': {
      const status = asString(asRecord(properties['status'])?.['type'])
      return [
        { type: 'status', status: status === 'idle' ? 'idle' : status === 'retry' ? 'retrying' : 'working' },
      ]
    }
    case 'session.idle':
      return [{ type: 'done', ok: true }]
    case 'session.error':
      return failed(asRecord(properties['error']) ?? {}) ?? [toWorkingFields(type)]
    case 'session.compacted':
      return [{ type: 'status', status: 'compacting' }]
    case 'session.deleted':
      return [{ type: 'status', status: 'ended', detail: 'deleted' }]
    default:
      // All other bus events only show activity.
      return type === '' ? undefined : [toWorkingFields(type)]
  }
}

const options: readonly AskOption[] = [
  { id: 'once', label: 'Allow once', effect: 'allow' },
  { id: 'always', label: 'Allow always', effect: 'allow_always' },
  { id: 'reject', label: 'Reject', effect: 'deny' },
]

/** A permission request with its id, and its decision, from any client. */
function permission(type: string, properties: AgentRecord, asked: Map<string, string>): HookFields[] {
  if (type === 'permission.asked') {
    const id = asString(properties['id'])
    const what = asString(properties['permission']) ?? ''
    const patterns = Array.isArray(properties['patterns']) ? (properties['patterns'] as unknown[]) : []
    const fields = toAskFields(what, {
      id,
      title: `Allow ${what}?`,
      body: patterns.flatMap((each) => asString(each) ?? []).join('\n'),
      toolUse: asString(asRecord(properties['tool'])?.['callID']),
      options,
    })
    const ask = fields[1]
    if (id !== undefined && ask?.type === 'ask') keep(asked, id, ask.ask.digest)
    return fields
  }
  const id = asString(properties['requestID']) ?? asString(properties['permissionID'])
  const digest = id === undefined ? undefined : asked.get(id)
  if (type !== 'permission.replied' || id === undefined || digest === undefined)
    return [toWorkingFields(type)]
  asked.delete(id)
  const option = asString(properties['reply']) ?? asString(properties['response'])
  return [
    {
      type: 'answer',
      entity: id,
      answer: { ask: id, ...(option === undefined ? {} : { option }), by: 'person', digest },
    },
  ]
}

function session(info: AgentRecord): HookFields {
  const id = asString(info['id'])
  const cwd = asString(info['directory'])
  const title = getTitle(info)
  const version = asString(info['version'])
  const model = formatModel(info['model'])
  return {
    type: 'session',
    ...(id === undefined ? {} : { entity: id }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(title === undefined ? {} : { title }),
    ...(version === undefined ? {} : { version }),
    ...(model === undefined ? {} : { model }),
  }
}

function answer(info: AgentRecord): HookFields[] | undefined {
  const entity = asString(info['id'])
  if (entity === undefined) return undefined
  const model = formatModel(info)
  const begun: HookFields = {
    type: 'message',
    entity,
    role: 'assistant',
    ...(model === undefined ? {} : { model }),
  }
  const over = asRecord(info['time'])?.['completed'] !== undefined
  const usage = toUsage(asRecord(info['tokens']) ?? {})
  const cost = over ? [{ type: 'usage', entity, scope: 'message', usage } as const] : []
  return [begun, ...cost, ...(failed(asRecord(info['error']) ?? {}, `${entity}/error`) ?? [])]
}

function failed(error: AgentRecord, entity?: string): HookFields[] | undefined {
  const failure = toFailure(error)
  if (!failure) return undefined
  const { message } = failure
  const code = failure.type === 'MessageAbortedError' ? 'aborted' : classifyError(failure).code
  const named = entity === undefined ? {} : { entity }
  return [{ type: 'error', code, severity: 'warning', message, ...named }]
}
