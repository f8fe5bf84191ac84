import { rememberedPlace } from './compaction.ts'
import type { LooseObject } from './loose-json.ts'

/** What a request says, in the same words for every wire. */
export interface Conversation {
  model: string
  stream: boolean
  /** Instructions of the CLI, not words of a person. */
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

/** Where in the conversation a request stands; derived from its history alone, so that a retry stands at the same place. */
export interface Place {
  /** Every prompt of the person so far. */
  prompts: string[]
  /** How often the model has answered since the last prompt. */
  reply: number
  /** The results that came since the model's last answer. */
  fresh: { id: string; content: string }[]
}

export function placeOf(entries: Entry[]): Place {
  const place: Place = { prompts: [], reply: 0, fresh: [] }
  let last: Entry['from'] | undefined
  for (const entry of entries) {
    const remembered = entry.from === 'tool' ? undefined : rememberedPlace(entry.text)
    if (remembered !== undefined) {
      place.prompts = Array.from({ length: remembered.turn }, (_none, index) => place.prompts[index] ?? '')
      place.reply = remembered.reply
      place.fresh = []
      // What follows a summary is no part of the answer before it.
      last = undefined
      continue
    }
    if (entry.from === 'user') {
      const prompt = personsWords(entry.text)
      if (prompt === '') continue
      place.prompts.push(prompt)
      place.reply = 0
      place.fresh = []
    } else if (entry.from === 'model') {
      // Several items in a row (thinking, text, calls) are one answer.
      if (last !== 'model') place.reply += 1
      place.fresh = []
    } else {
      place.fresh.push({ id: entry.id, content: entry.content })
    }
    last = entry.from
  }
  return place
}

// What CLIs put around a person's words: claude, codex, gemini and opencode each have their own tags.
const addedBlocks =
  /<(system-reminder|environment_context|session_context|hook_context|user_instructions|INSTRUCTIONS|permissions instructions|skills_instructions|turn_aborted|subagent_notification|recommended_plugins|local-command-caveat|local-command-stdout|local-command-stderr|command-name|command-message|command-args|state_snapshot)\b[^>]*>[\s\S]*?<\/\1>/g
// What they say in a person's place: to go on after an empty answer, or that a turn was interrupted.
const addedLines = [
  /^# AGENTS\.md instructions for .*$/gm,
  /^System: Please continue\.$/gm,
  /^\[Image: source: .*\]$/gm,
  /^\[Request interrupted by user.*\]$/gm,
  /^\[Your previous response had no visible output\..*\]$/gm,
  /^\[System: You previously returned an empty response.*\]$/gm,
  /^Continue if you have next steps, or stop and ask for clarification.*$/gm,
  /^What did we do so far\?$/gm,
  /^Continue from where you left off\.$/gm,
  /^This is the Gemini CLI\. We are setting up the context[\s\S]*$/gm,
]

function personsWords(text: string): string {
  return [addedBlocks, ...addedLines].reduce((rest, added) => rest.replaceAll(added, ''), text).trim()
}

const directories = [
  /<cwd>(.+?)<\/cwd>/,
  /[Ww]orking directory: *(\/[^\n]+)/,
  /working in the directory: *(\/[^\n]+)/,
  /Workspace Directories:\*\*\s*- *(\/[^\n]+)/,
  /working in the following directories:\s*- *(\/[^\n]+)/,
]

/** The CLI's working directory, which every CLI tells its model somewhere. */
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
