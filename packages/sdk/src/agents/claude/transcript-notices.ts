import type { Block, ErrorCode } from '@remora/protocol/plain'
import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { promptContent } from './content.ts'
import { tagged } from './user-words.ts'

/** What a file says beside the words of the two: notices, attachments, and what the CLI keeps for itself. */
export interface Notices {
  /** Names the session's own state. */
  readonly session: string
  /** The record's own name. */
  readonly entity: string
}

type Status = Extract<EventFields, { type: 'status' }>['status']

/** Records of type `system`. Empty for what says nothing; undefined for what we do not know. */
export function systemNotice(record: AgentRecord, { session, entity }: Notices): EventFields[] | undefined {
  const status = (name: Status, detail?: string, value?: object): EventFields[] => [
    { type: 'status', entity: session, status: name, ...defined({ detail, value }) },
  ]
  const content = asString(record['content'])
  switch (record['subtype']) {
    case 'turn_duration':
      return status('idle')
    case 'compact_boundary':
    case 'microcompact_boundary':
      return status('compacting', 'compacted', asRecord(record['compactMetadata']))
    case 'api_error':
    case 'api_retry':
      return status(
        'retrying',
        retryReason(record),
        defined({
          attempt: asCount(record['retryAttempt']),
          maxRetries: asCount(record['maxRetries']),
          httpStatus: asCount(asRecord(record['error'])?.['status']),
          waitMs: typeof record['retryInMs'] === 'number' ? Math.round(record['retryInMs']) : undefined,
        }),
      )
    case 'stop_hook_summary': {
      const errors = Array.isArray(record['hookErrors']) ? (record['hookErrors'] as unknown[]) : []
      const said = errors.filter((each) => typeof each === 'string').join('\n')
      return said === '' ? status('idle') : [warning(entity, `A hook failed at the end of the turn: ${said}`)]
    }
    case 'local_command':
      return content === undefined ? undefined : localCommand(content, entity)
    default:
      if (content === undefined) return undefined
      if (record['isMeta'] === true || content === '') return []
      if (record['level'] === 'error' || record['level'] === 'warning')
        return [warning(entity, content, classifyError({ message: content }).code)]
      return [note(entity, [{ type: 'text', text: content }])]
  }
}

function retryReason(record: AgentRecord): string | undefined {
  const error = asRecord(record['error'])
  const inner = asRecord(asRecord(error?.['error'])?.['error']) ?? asRecord(error?.['error'])
  return asString(inner?.['message']) ?? asString(error?.['message']) ?? asString(record['content'])
}

/** A command that never reaches the model, and what it answered. */
function localCommand(content: string, entity: string): EventFields[] {
  const words = tagged(content)
  if (words?.from === 'person') return [{ type: 'message', entity, role: 'user', content: words.content }]
  const blocks = words?.content ?? [{ type: 'text', text: content }]
  return blocks.length === 0 ? [] : [note(entity, blocks)]
}

/** What was put beside a prompt: files, reminders, what hooks said, prompts that were typed meanwhile. */
export function attachmentNotice(attachment: AgentRecord, entity: string): EventFields[] | undefined {
  const type = asString(attachment['type'])
  if (type === undefined) return undefined
  if (type === 'queued_command') {
    const content = attachment['prompt']
    const typed = attachment['commandMode'] !== 'task-notification' && attachment['isMeta'] !== true
    if (typeof content !== 'string' && !Array.isArray(content)) return []
    const context = typed ? {} : { context: true as const }
    return [{ type: 'message', entity, role: 'user', content: promptContent(content), ...context }]
  }
  if (/^hook_(blocking_error|non_blocking_error|error_during_execution)$/.test(type)) {
    const name = asString(attachment['hookName']) ?? asString(attachment['hookEvent']) ?? 'hook'
    const blocking = asString(asRecord(attachment['blockingError'])?.['blockingError'])
    const said = (blocking ?? asString(attachment['stderr']) ?? asString(attachment['content']) ?? '').trim()
    return [warning(entity, `The hook ${name} failed${said === '' ? '' : `: ${said}`}`)]
  }
  const content = attached(attachment, type)
  return content.length === 0
    ? []
    : [{ type: 'message', entity, role: 'user', content, context: true as const }]
}

/** What of an attachment the model was shown, as far as it is the person's own: lists of tools and skills are not. */
function attached(attachment: AgentRecord, type: string): Block[] {
  const content = attachment['content']
  const inner = asRecord(content)
  const file = asRecord(inner?.['file'])
  switch (type) {
    case 'file':
    case 'already_read_file':
    case 'directory': {
      const data = asString(file?.['base64'])
      const media = asString(file?.['type'])
      if (data !== undefined && media !== undefined && inner?.['type'] === 'image')
        return [{ type: 'image', source: { type: 'base64', media_type: media, data } }]
      const path = asString(attachment['filename']) ?? asString(attachment['path']) ?? ''
      const words = asString(file?.['content']) ?? asString(content)
      return words === undefined ? [] : [{ type: 'text', text: `${path}\n${words}` }]
    }
    case 'edited_text_file':
      return textBlocks([asString(attachment['filename']), asString(attachment['snippet'])])
    case 'nested_memory':
      return textBlocks([asString(attachment['path']), asString(inner?.['content'])])
    case 'hook_additional_context':
      return textBlocks(Array.isArray(content) ? content.map(asString) : [asString(content)])
    case 'critical_system_reminder':
      return textBlocks([asString(content)])
    default:
      return []
  }
}

function textBlocks(parts: readonly (string | undefined)[]): Block[] {
  const text = parts.filter((part) => part !== undefined && part !== '').join('\n')
  return text === '' ? [] : [{ type: 'text', text }]
}

export function note(entity: string, content: Block[]): EventFields {
  return { type: 'message', entity, role: 'system', content }
}

function warning(entity: string, message: string, code: ErrorCode = 'unknown'): EventFields {
  return { type: 'error', entity, code, severity: 'warning', message }
}
