import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { failureIn } from './content.ts'
import { type Result, itemResult, mcpEnd } from './transcript-results.ts'
import type { Turns } from './transcript-turns.ts'

// Events that repeat what the items tell, or that tell nothing of the conversation.
const silent = new Set<unknown>([
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

const silentItems = new Set<unknown>([
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

/** Reads an `event_msg`. Empty for what says nothing; undefined for what we do not know. */
export function eventFields(event: AgentRecord, turns: Turns, session: string): EventFields[] | undefined {
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
      return [...(error === undefined ? [] : [errorFields(error, 'error', turns)]), ...status('idle')]
    }
    case 'turn_aborted':
      return status('idle', asString(event['reason']))
    case 'error':
      return message === undefined ? undefined : [errorFields(message, 'error', turns)]
    case 'warning':
      return message === undefined ? undefined : [errorFields(message, 'warning', turns)]
    case 'stream_error':
      return status('retrying', message)
    case 'thread_name_updated': {
      const title = asString(event['thread_name'])
      return title === undefined ? [] : [{ type: 'session', entity: session, title }]
    }
    case 'thread_rolled_back': {
      const to = turns.takeBack(asCount(event['num_turns']) ?? 1)
      return to === undefined ? [] : status('rewound', undefined, { to })
    }
    case 'exec_command_end':
    case 'patch_apply_end':
      return ended(event['call_id'], event, itemResult, turns)
    case 'mcp_tool_call_end':
      return ended(event['call_id'], event, mcpEnd, turns)
    case 'item_completed': {
      const item = asRecord(event['item'])
      return item && completed(item, turns)
    }
    default:
      return silent.has(event['type']) ? [] : undefined
  }
}

function errorFields(said: string, severity: 'error' | 'warning', turns: Turns): EventFields {
  const failure = failureIn(said)
  const { code } = classifyError(failure)
  return {
    type: 'error',
    entity: `${turns.message}/${failure.message}`,
    code,
    severity,
    message: failure.message,
  }
}

function completed(item: AgentRecord, turns: Turns): EventFields[] | undefined {
  switch (item['type']) {
    case 'CommandExecution':
      // What a person ran is told in words of its own.
      return item['source'] === 'user_shell' ? [] : ended(item['id'], item, itemResult, turns)
    case 'FileChange':
    case 'McpToolCall':
    case 'DynamicToolCall':
    case 'CollabAgentToolCall':
      return ended(item['id'], item, itemResult, turns)
    default:
      return silentItems.has(item['type']) ? [] : undefined
  }
}

function ended(
  call: unknown,
  item: AgentRecord,
  read: (item: AgentRecord) => Result,
  turns: Turns,
): EventFields[] | undefined {
  if (typeof call !== 'string') return undefined
  if (turns.wasCancelled(call)) return []
  const result = read(item)
  // What Codex does not keep itself, the model was told.
  if (result.content !== undefined) turns.ended(call)
  return [{ type: 'tool_result', entity: call, ...result }]
}
