import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { parseFailure } from './content.ts'
import { type Result, toItemResult, toMcpResult } from './transcript-results.ts'
import type { Turns } from './transcript-turns.ts'

// Events that repeat items, or have nothing of the conversation.
const ignoredEvents = new Set<unknown>([
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'background_event',
  'context_compacted',
  'entered_review_mode',
  'exec_command_begin',
  'exited_review_mode',
  'item_started',
  'mcp_tool_call_begin',
  'patch_apply_begin',
  'plan_update',
  'session_configured',
  'thread_goal_updated',
  'thread_settings_applied',
  'turn_diff',
  'user_message',
  'view_image_tool_call',
  'web_search_begin',
  'web_search_end',
])

const ignoredItems = new Set<unknown>([
  'AgentMessage',
  'ContextCompaction',
  'EnteredReviewMode',
  'ExitedReviewMode',
  'HookPrompt',
  'ImageView',
  'Plan',
  'Reasoning',
  'UserMessage',
  'WebSearch',
])

/** Reads an `event_msg`. Empty for an event without content; undefined for an unknown one. */
export function toEventFields(event: AgentRecord, turns: Turns, session: string): EventFields[] | undefined {
  const status = (name: 'working' | 'idle' | 'retrying' | 'rewound', detail?: string, value?: object) =>
    [{ type: 'status', entity: session, status: name, ...defined({ detail, value }) }] satisfies EventFields[]
  const message = asString(event['message'])
  switch (event['type']) {
    case 'task_started':
    case 'turn_started':
      turns.begin(asString(event['turn_id']))
      return status('working')
    case 'task_complete':
    case 'turn_complete': {
      const error = asString(asRecord(event['error'])?.['message'])
      return [...(error === undefined ? [] : [toErrorFields(error, 'error', turns)]), ...status('idle')]
    }
    case 'turn_aborted':
      return status('idle', asString(event['reason']))
    case 'error':
      return message === undefined ? undefined : [toErrorFields(message, 'error', turns)]
    case 'warning':
      return message === undefined ? undefined : [toErrorFields(message, 'warning', turns)]
    case 'stream_error':
      return status('retrying', message)
    case 'thread_name_updated': {
      const title = asString(event['thread_name'])
      return title === undefined ? [] : [{ type: 'session', entity: session, title }]
    }
    case 'thread_rolled_back': {
      const to = turns.rewind(asCount(event['num_turns']) ?? 1)
      return to === undefined ? [] : status('rewound', undefined, { to })
    }
    case 'exec_command_end':
    case 'patch_apply_end':
      return toResultFields(event['call_id'], event, toItemResult, turns)
    case 'mcp_tool_call_end':
      return toResultFields(event['call_id'], event, toMcpResult, turns)
    case 'item_completed': {
      const item = asRecord(event['item'])
      return item && toCompletedFields(item, turns)
    }
    default:
      return ignoredEvents.has(event['type']) ? [] : undefined
  }
}

function toErrorFields(text: string, severity: 'error' | 'warning', turns: Turns): EventFields {
  const failure = parseFailure(text)
  const { code } = classifyError(failure)
  return {
    type: 'error',
    entity: `${turns.message}/${failure.message}`,
    code,
    severity,
    message: failure.message,
  }
}

function toCompletedFields(item: AgentRecord, turns: Turns): EventFields[] | undefined {
  switch (item['type']) {
    case 'CommandExecution':
      // A command of the user also has a message of its own.
      return item['source'] === 'user_shell' ? [] : toResultFields(item['id'], item, toItemResult, turns)
    case 'FileChange':
    case 'McpToolCall':
    case 'DynamicToolCall':
    case 'CollabAgentToolCall':
      return toResultFields(item['id'], item, toItemResult, turns)
    default:
      return ignoredItems.has(item['type']) ? [] : undefined
  }
}

function toResultFields(
  call: unknown,
  item: AgentRecord,
  read: (item: AgentRecord) => Result,
  turns: Turns,
): EventFields[] | undefined {
  if (typeof call !== 'string') return undefined
  if (turns.wasCancelled(call)) return []
  const result = read(item)
  // Without content here, the result is read from the output that the model received.
  if (result.content !== undefined) turns.setReported(call)
  return [{ type: 'tool_result', entity: call, ...result }]
}
