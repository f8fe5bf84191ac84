import type { Block, ErrorCode } from '@remora/protocol/plain'
import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toPromptContent } from '../../dialects/claude-content.ts'
import { parseTags } from './user-text.ts'

/** The entities that the events of a notice refer to. */
export interface NoticeEntities {
  /** For events about the session. */
  readonly session: string
  /** For events about the record. */
  readonly entity: string
}

type Status = Extract<EventFields, { type: 'status' }>['status']

/** Reads records of type `system`. Empty for a record without content; undefined for an unknown one. */
export function readSystemNotice(
  record: AgentRecord,
  { session, entity }: NoticeEntities,
): EventFields[] | undefined {
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
        getRetryReason(record),
        defined({
          attempt: asCount(record['retryAttempt']),
          maxRetries: asCount(record['maxRetries']),
          httpStatus: asCount(asRecord(record['error'])?.['status']),
          waitMs: typeof record['retryInMs'] === 'number' ? Math.round(record['retryInMs']) : undefined,
        }),
      )
    case 'stop_hook_summary': {
      const errors = Array.isArray(record['hookErrors']) ? (record['hookErrors'] as unknown[]) : []
      const text = errors.filter((each) => typeof each === 'string').join('\n')
      return text === ''
        ? status('idle')
        : [toWarning(entity, `A hook failed at the end of the turn: ${text}`)]
    }
    case 'local_command':
      return content === undefined ? undefined : readLocalCommand(content, entity)
    default:
      if (content === undefined) return undefined
      if (record['isMeta'] === true || content === '') return []
      if (record['level'] === 'error' || record['level'] === 'warning')
        return [toWarning(entity, content, classifyError({ message: content }).code)]
      return [toNote(entity, [{ type: 'text', text: content }])]
  }
}

function getRetryReason(record: AgentRecord): string | undefined {
  const error = asRecord(record['error'])
  const inner = asRecord(asRecord(error?.['error'])?.['error']) ?? asRecord(error?.['error'])
  return asString(inner?.['message']) ?? asString(error?.['message']) ?? asString(record['content'])
}

/** Reads a command that is not sent to the model, or its output. */
function readLocalCommand(content: string, entity: string): EventFields[] {
  const read = parseTags(content)
  if (read?.from === 'person') return [{ type: 'message', entity, role: 'user', content: read.content }]
  const blocks = read?.content ?? [{ type: 'text', text: content }]
  return blocks.length === 0 ? [] : [toNote(entity, blocks)]
}

/** Reads an attachment of a prompt: files, reminders, output of hooks, prompts that were queued. */
export function readAttachmentNotice(attachment: AgentRecord, entity: string): EventFields[] | undefined {
  const type = asString(attachment['type'])
  if (type === undefined) return undefined
  if (type === 'queued_command') {
    const content = attachment['prompt']
    const typed = attachment['commandMode'] !== 'task-notification' && attachment['isMeta'] !== true
    if (typeof content !== 'string' && !Array.isArray(content)) return []
    const context = typed ? {} : { context: true as const }
    return [{ type: 'message', entity, role: 'user', content: toPromptContent(content), ...context }]
  }
  if (/^hook_(blocking_error|non_blocking_error|error_during_execution)$/.test(type)) {
    const name = asString(attachment['hookName']) ?? asString(attachment['hookEvent']) ?? 'hook'
    const blocking = asString(asRecord(attachment['blockingError'])?.['blockingError'])
    const text = (blocking ?? asString(attachment['stderr']) ?? asString(attachment['content']) ?? '').trim()
    return [toWarning(entity, `The hook ${name} failed${text === '' ? '' : `: ${text}`}`)]
  }
  const content = readAttachment(attachment, type)
  return content.length === 0
    ? []
    : [{ type: 'message', entity, role: 'user', content, context: true as const }]
}

/** The content of an attachment as the model saw it. Lists of tools and skills are left out. */
function readAttachment(attachment: AgentRecord, type: string): Block[] {
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
      const text = asString(file?.['content']) ?? asString(content)
      return text === undefined ? [] : [{ type: 'text', text: `${path}\n${text}` }]
    }
    case 'edited_text_file':
      return toTextBlocks([asString(attachment['filename']), asString(attachment['snippet'])])
    case 'nested_memory':
      return toTextBlocks([asString(attachment['path']), asString(inner?.['content'])])
    case 'hook_additional_context':
      return toTextBlocks(Array.isArray(content) ? content.map(asString) : [asString(content)])
    case 'critical_system_reminder':
      return toTextBlocks([asString(content)])
    default:
      return []
  }
}

function toTextBlocks(parts: readonly (string | undefined)[]): Block[] {
  const text = parts.filter((part) => part !== undefined && part !== '').join('\n')
  return text === '' ? [] : [{ type: 'text', text }]
}

export function toNote(entity: string, content: Block[]): EventFields {
  return { type: 'message', entity, role: 'system', content }
}

function toWarning(entity: string, message: string, code: ErrorCode = 'unknown'): EventFields {
  return { type: 'error', entity, code, severity: 'warning', message }
}
