import { parseSummary } from './compaction.ts'
import type { LooseObject } from './loose-json.ts'

/** The content of a request, independent of the wire. */
export interface Conversation {
  model: string
  stream: boolean
  /** Instructions of the CLI. */
  system: string
  entries: Entry[]
  tools: DeclaredTool[]
  /** The JSON schema that the answer must follow, if any. */
  schema?: LooseObject
}

export type Entry =
  | { from: 'user'; text: string }
  | { from: 'model'; text: string }
  | { from: 'tool'; id: string; content: string }

export interface DeclaredTool {
  name: string
  /** The names of its parameters: CLIs of different versions name them differently. */
  parameters: string[]
  namespace?: string
}

/** The position of a request in its conversation. It depends on the history alone, so that a retry has the same one. */
export interface Position {
  /** All prompts of the user so far. */
  prompts: string[]
  /** How often the model has answered since the last prompt. */
  reply: number
  /** The tool results since the model's last answer. */
  fresh: { id: string; content: string }[]
}

export function findPosition(entries: Entry[]): Position {
  const position: Position = { prompts: [], reply: 0, fresh: [] }
  let last: Entry['from'] | undefined
  for (const entry of entries) {
    const remembered = entry.from === 'tool' ? undefined : parseSummary(entry.text)
    if (remembered !== undefined) {
      position.prompts = Array.from(
        { length: remembered.turn },
        (_none, index) => position.prompts[index] ?? '',
      )
      position.reply = remembered.reply
      position.fresh = []
      // An entry after a summary does not continue the answer before it.
      last = undefined
      continue
    }
    if (entry.from === 'user') {
      const prompt = extractPrompt(entry.text)
      if (prompt === '') continue
      position.prompts.push(prompt)
      position.reply = 0
      position.fresh = []
    } else if (entry.from === 'model') {
      // Several items in a row (thinking, text, calls) are one answer.
      if (last !== 'model') position.reply += 1
      position.fresh = []
    } else {
      position.fresh.push({ id: entry.id, content: entry.content })
    }
    last = entry.from
  }
  return position
}

// Blocks that the CLIs add to a prompt, each with its own tags.
const addedBlocks =
  /<(system-reminder|system_reminder|current_datetime|mode_changed_notice|environment_context|session_context|hook_context|user_instructions|INSTRUCTIONS|permissions instructions|skills_instructions|turn_aborted|subagent_notification|recommended_plugins|local-command-caveat|local-command-stdout|local-command-stderr|command-name|command-message|command-args|state_snapshot)\b[^>]*>[\s\S]*?<\/\1>/g
// Lines that the CLIs send as user messages: to continue after an empty answer, or that a turn was interrupted.
const addedLines = [
  /^# AGENTS\.md instructions for .*$/gm,
  /^System: Please continue\.$/gm,
  /^\[Image: source: .*\]$/gm,
  /^\[Request interrupted by user.*\]$/gm,
  /^\[Your previous response had no visible output\..*\]$/gm,
  /^\[System: You previously returned an empty response.*\]$/gm,
  /^Continue if you have next steps, or stop and ask for clarification.*$/gm,
  /^What did we do so far\?$/gm,
  /^\[\[PLAN\]\] */gm,
  /^Continue from where you left off\.$/gm,
  /^This is the Gemini CLI\. We are setting up the context[\s\S]*$/gm,
]

function extractPrompt(text: string): string {
  return [addedBlocks, ...addedLines].reduce((rest, added) => rest.replaceAll(added, ''), text).trim()
}

const directories = [
  /<cwd>(.+?)<\/cwd>/,
  /[Ww]orking directory: *(\/[^\n]+)/,
  /working in the directory: *(\/[^\n]+)/,
  /Workspace Directories:\*\*\s*- *(\/[^\n]+)/,
  /working in the following directories:\s*- *(\/[^\n]+)/,
]

/** The CLI's working directory, which every CLI includes in its requests. */
export function workingDirectory(conversation: Conversation): string | undefined {
  const texts = [conversation.system]
  for (const entry of conversation.entries) if (entry.from === 'user') texts.push(entry.text)
  for (const text of texts) {
    for (const pattern of directories) {
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) return found.trim()
    }
  }
  return undefined
}
