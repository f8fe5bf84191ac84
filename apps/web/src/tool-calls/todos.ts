import type { ToolCall } from './call.ts'
import { toFields, toList, text } from './fields.ts'

export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

/** The entries of a to-do list, in any format of the agents. */
export function listTodos({ input }: ToolCall): readonly Todo[] {
  const list = [input['todos'], input['tasks'], input['items'], input['plan']].find(Array.isArray)
  return toList(list).flatMap((entry) => {
    const fields = toFields(entry)
    const content =
      text(entry) ??
      text(fields['content']) ??
      text(fields['description']) ??
      text(fields['task_description']) ??
      text(fields['step']) ??
      text(fields['title'])
    return content === undefined ? [] : [{ content, status: readStatus(fields) }]
  })
}

function readStatus({ status, completed }: Readonly<Record<string, unknown>>): Todo['status'] {
  if (completed === true || status === 'done') return 'completed'
  return status === 'in_progress' || status === 'completed' || status === 'cancelled' ? status : 'pending'
}
