import type { EventFields } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** Reads the CLI's status records: retries, compaction, hooks, tasks. Undefined for an unknown subtype. */
export function toSystemFields(record: AgentRecord, run: string): EventFields[] | undefined {
  const status = (name: 'working' | 'compacting' | 'retrying' | 'mode', detail?: string, value?: object) => {
    const more = { ...(detail === undefined ? {} : { detail }), ...(value === undefined ? {} : { value }) }
    return [{ type: 'status', entity: run, status: name, ...more } as const]
  }
  switch (record['subtype']) {
    case 'init':
      // Repeated at every turn; the stream reader turns the first one into the session.
      return status('working')
    case 'api_retry':
      return status('retrying', asString(record['error']), {
        ...defined({
          attempt: asCount(record['attempt']),
          maxRetries: asCount(record['max_retries']),
          httpStatus: asCount(record['error_status']),
        }),
        ...(typeof record['retry_delay_ms'] === 'number'
          ? { waitMs: Math.round(record['retry_delay_ms']) }
          : {}),
      })
    case 'status':
      return status(record['status'] === 'compacting' ? 'compacting' : 'working', asString(record['status']))
    case 'compact_boundary':
      return status('compacting', 'compacted', asRecord(record['compact_metadata']))
    case 'thinking_tokens':
      return status('working', 'thinking', defined({ tokens: asCount(record['estimated_tokens']) }))
    case 'task_started':
    case 'task_progress':
    case 'task_updated':
    case 'task_notification': {
      const detail = asString(record['summary']) ?? asString(record['description'])
      return status(
        'working',
        detail,
        defined({ task: asString(record['task_id']), status: asString(record['status']) }),
      )
    }
    case 'hook_started':
    case 'hook_progress':
      return status('working', asString(record['hook_name']))
    case 'hook_response':
      return toHookFields(record, run) ?? status('working', asString(record['hook_name']))
    default:
      return undefined
  }
}

/** A hook that failed is worth a warning: the user installed it for a reason. */
function toHookFields(record: AgentRecord, run: string): EventFields[] | undefined {
  const outcome = asString(record['outcome'])
  if (outcome === undefined || outcome === 'success') return undefined
  const name = asString(record['hook_name']) ?? 'hook'
  const output = (asString(record['stderr']) || asString(record['output']) || '').trim()
  const message = `The hook ${name} ended with ${outcome}${output ? `: ${output}` : ''}`
  return [
    { type: 'error', entity: `${run}/remark/${message}`, code: 'unknown', severity: 'warning', message },
  ]
}

/** The state of the usage limit. It is a warning only when the limit is near or reached. */
export function toRateLimitFields(record: AgentRecord, run: string): EventFields[] | undefined {
  const info = asRecord(record['rate_limit_info'])
  const state = asString(info?.['status'])
  if (!info || state === undefined) return undefined
  if (state === 'allowed') return [{ type: 'status', entity: run, status: 'working', value: info }]
  const kind = asString(info['rateLimitType'])
  const message = `The usage limit${kind ? ` (${kind})` : ''} is ${state === 'rejected' ? 'reached' : 'near'}`
  return [{ type: 'error', entity: `${run}/remark/${message}`, code: 'quota', severity: 'warning', message }]
}
