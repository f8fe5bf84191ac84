import type { HookPayloadReader } from '../../contract/agent.ts'
import type { AskOption, Event } from '@remora/protocol/plain'
import { classifyError } from '../../events/classify-error.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { fieldsOf, stringOf } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { askFields } from '../../dialects/hook-ask.ts'
import { type HookFields, hookEvents, workingFields } from '../../dialects/hook-payloads.ts'
import { callOf, failureOf, promptOf, tokensOf } from './parts.ts'
import { modelOf, titleOf } from './row-events.ts'

/**
 * Reads what our plugin is told by OpenCode. Of the assistant's words it is told nothing.
 *
 * @example hookReader(maker).read({ hook_event_name: 'chat.message', session_id: 'a', output: { … } })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  /** The sessions of sub-agents, with those that started them. */
  const parents = latest(fieldsOf(state)?.['parents'])
  /** What was asked, as it was shown. */
  const asked = latest(fieldsOf(state)?.['asked'])
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const session = stringOf(payload['session_id'])
      const info = fieldsOf(eventOf(payload).properties['info'])
      const parent = stringOf(info?.['parentID'])
      if (session !== undefined && stringOf(info?.['id']) === session && parent !== undefined)
        keep(parents, session, parents.get(parent) ?? parent)
      const root = session === undefined ? undefined : parents.get(session)
      // What a sub-agent does belongs under a call that its payloads do not name.
      if (root !== undefined)
        return hookEvents(maker, { ...payload, session_id: root }, [workingFields('sub-agent')], payload)
      const fields = fieldsFor(payload, asked)
      // The CLI tells of itself as well, which belongs to no conversation.
      return session === undefined ? fields && [] : fields && hookEvents(maker, payload, fields)
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

function eventOf(payload: AgentRecord): { type: string; properties: AgentRecord } {
  const event = fieldsOf(payload['event'])
  return { type: stringOf(event?.['type']) ?? '', properties: fieldsOf(event?.['properties']) ?? {} }
}

function fieldsFor(payload: AgentRecord, asked: Map<string, string>): HookFields[] | undefined {
  const input = fieldsOf(payload['input']) ?? {}
  const output = fieldsOf(payload['output']) ?? {}
  switch (payload['hook_event_name']) {
    case 'event': {
      const { type, properties } = eventOf(payload)
      return type.startsWith('permission.') ? permission(type, properties, asked) : happened(type, properties)
    }
    case 'chat.message':
      return prompt(output)
    case 'tool.execute.before': {
      const state = { status: 'running', input: output['args'] }
      const call = callOf({ ...input, state }, undefined)
      return call && [call.use]
    }
    case 'tool.execute.after': {
      const state = { status: 'completed', input: input['args'], ...output }
      const call = callOf({ ...input, state }, undefined)
      return call?.result && [call.use, call.result]
    }
    default:
      return undefined
  }
}

function prompt(output: AgentRecord): HookFields[] | undefined {
  const id = stringOf(fieldsOf(output['message'])?.['id'])
  const parts = Array.isArray(output['parts']) ? (output['parts'] as unknown[]) : []
  if (id === undefined) return undefined
  const { content } = promptOf(parts.map((part) => fieldsOf(part) ?? {}))
  return content.length === 0
    ? [workingFields('chat.message')]
    : [{ type: 'message', entity: id, role: 'user', content }]
}

function happened(type: string, properties: AgentRecord): HookFields[] | undefined {
  const info = fieldsOf(properties['info']) ?? {}
  switch (type) {
    case 'session.created':
    case 'session.updated':
      return [session(info)]
    case 'message.updated':
      return info['role'] === 'assistant' ? answer(info) : [workingFields(type)]
    case 'session.status': {
      const status = stringOf(fieldsOf(properties['status'])?.['type'])
      return [
        { type: 'status', status: status === 'idle' ? 'idle' : status === 'retry' ? 'retrying' : 'working' },
      ]
    }
    case 'session.idle':
      return [{ type: 'done', ok: true }]
    case 'session.error':
      return failed(fieldsOf(properties['error']) ?? {}) ?? [workingFields(type)]
    case 'session.compacted':
      return [{ type: 'status', status: 'compacting' }]
    case 'session.deleted':
      return [{ type: 'status', status: 'ended', detail: 'deleted' }]
    default:
      // A bus of everything: what matters to a conversation is told above.
      return type === '' ? undefined : [workingFields(type)]
  }
}

const options: readonly AskOption[] = [
  { id: 'once', label: 'Allow once', effect: 'allow' },
  { id: 'always', label: 'Allow always', effect: 'allow_always' },
  { id: 'reject', label: 'Reject', effect: 'deny' },
]

/** A question by its own id, and the decision, wherever it was made. */
function permission(type: string, properties: AgentRecord, asked: Map<string, string>): HookFields[] {
  if (type === 'permission.asked') {
    const id = stringOf(properties['id'])
    const what = stringOf(properties['permission']) ?? ''
    const patterns = Array.isArray(properties['patterns']) ? (properties['patterns'] as unknown[]) : []
    const fields = askFields(what, {
      id,
      title: `Allow ${what}?`,
      body: patterns.flatMap((each) => stringOf(each) ?? []).join('\n'),
      toolUse: stringOf(fieldsOf(properties['tool'])?.['callID']),
      options,
    })
    const ask = fields[1]
    if (id !== undefined && ask?.type === 'ask') keep(asked, id, ask.ask.digest)
    return fields
  }
  const id = stringOf(properties['requestID']) ?? stringOf(properties['permissionID'])
  const digest = id === undefined ? undefined : asked.get(id)
  if (type !== 'permission.replied' || id === undefined || digest === undefined) return [workingFields(type)]
  asked.delete(id)
  const option = stringOf(properties['reply']) ?? stringOf(properties['response'])
  return [
    {
      type: 'answer',
      entity: id,
      answer: { ask: id, ...(option === undefined ? {} : { option }), by: 'person', digest },
    },
  ]
}

function session(info: AgentRecord): HookFields {
  const id = stringOf(info['id'])
  const cwd = stringOf(info['directory'])
  const title = titleOf(info)
  const version = stringOf(info['version'])
  const model = modelOf(info['model'])
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
  const entity = stringOf(info['id'])
  if (entity === undefined) return undefined
  const model = modelOf(info)
  const begun: HookFields = {
    type: 'message',
    entity,
    role: 'assistant',
    ...(model === undefined ? {} : { model }),
  }
  const over = fieldsOf(info['time'])?.['completed'] !== undefined
  const usage = tokensOf(fieldsOf(info['tokens']) ?? {})
  const cost = over ? [{ type: 'usage', entity, scope: 'message', usage } as const] : []
  return [begun, ...cost, ...(failed(fieldsOf(info['error']) ?? {}, `${entity}/error`) ?? [])]
}

function failed(error: AgentRecord, entity?: string): HookFields[] | undefined {
  const failure = failureOf(error)
  if (!failure) return undefined
  const { message } = failure
  const code = failure.type === 'MessageAbortedError' ? 'aborted' : classifyError(failure).code
  const named = entity === undefined ? {} : { entity }
  return [{ type: 'error', code, severity: 'warning', message, ...named }]
}
