import type { Usage } from '@remora/protocol/plain'
import { textIn, toParts } from '../../dialects/gemini-parts.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

// The "Please continue" alternative is how 0.27 resumes an interrupted answer.
const contexts =
  /^\s*(?:<(?:session_context|hook_context|scratchpad|state_snapshot|system-reminder)>|System: Please continue\.$|(?:User has manually exited Plan Mode|Plan approved)\. Switching to )/

/** Whether the content is context that the CLI added. */
export function isContext(content: unknown): boolean {
  return contexts.test(textIn(content))
}

/**
 * Removes the CLI's context from a user message. It may precede the user's text in its own part or in the same one.
 *
 * @example personsParts([{ text: '<session_context>…</session_context>' }, { text: 'Go.' }]) // [{ text: 'Go.' }]
 */
export function personsParts(content: unknown): unknown[] {
  return toParts(content).flatMap((part) => {
    if (!isContext(part)) return [part]
    const rest = textIn(part).replace(added, '').trim()
    return rest === '' || isContext(rest) ? [] : [{ text: rest }]
  })
}

const added =
  /^\s*(?:<(session_context|hook_context|scratchpad|state_snapshot|system-reminder)>.*?<\/\1>\s*)+/s

/** Finds the summary that replaces compressed messages. */
export function summaryIn(content: unknown): string | undefined {
  return /<state_snapshot>.*<\/state_snapshot>/s.exec(textIn(content))?.[0]
}

/** Finds the workspace folder in the CLI's context. */
export function workspaceIn(content: unknown): string | undefined {
  return /\*\*Workspace Directories:\*\*\n {2}- (.+)/.exec(textIn(content))?.[1]
}

export interface Thought {
  readonly text: string
  readonly subject?: string
  readonly description?: string
}

/** Reads the thoughts, which are beside the content, or inside it after the CLI rewrote its history. */
export function readThoughts(record: AgentRecord): Thought[] {
  const thoughts = toParts(record['thoughts']).flatMap((value) => {
    const { subject, description } = asRecord(value) ?? {}
    const parts = defined({ subject: asString(subject), description: asString(description) })
    const text = [parts.subject, parts.description].filter(Boolean).join(': ')
    return text === '' ? [] : [{ text, ...parts }]
  })
  if (thoughts.length > 0) return thoughts
  return toParts(record['content']).flatMap((part) => {
    const fields = asRecord(part)
    const text = asString(fields?.['text'])
    return fields?.['thought'] === true && text ? [{ text }] : []
  })
}

/** Reads the token counts of an answer. */
export function readUsage(value: unknown): Usage | undefined {
  const tokens = asRecord(value)
  if (!tokens) return undefined
  return defined({
    inputTokens: asCount(tokens['input']),
    outputTokens: asCount(tokens['output']),
    totalTokens: asCount(tokens['total']),
    cachedTokens: asCount(tokens['cached']),
    thoughtTokens: asCount(tokens['thoughts']),
    toolTokens: asCount(tokens['tool']),
  })
}
