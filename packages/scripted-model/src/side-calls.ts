import { entriesToSum, summaryAt } from './compaction.ts'
import { placeOf, workingDirectory, type Conversation, type Place } from './conversation.ts'
import { isObject, objectOf, type LooseObject } from './loose-json.ts'
import type { RequestKind } from './log.ts'
import type { Reply } from './scenario.ts'

/** What a CLI asks its model on its own account, told from the shape of the request and the words of its instructions. */
export function kindOf(conversation: Conversation, place: Place): RequestKind {
  if (conversation.schema !== undefined) return hasTitle(conversation.schema) ? 'summary' : 'router'
  if (isTitleCall(conversation) || isSummary(conversation)) return 'summary'
  return place.prompts.length === 0 || isErrand(conversation) ? 'other' : 'turn'
}

/** A harmless answer to a side call; no reply of the scenario is used up. */
export function sideReply(kind: RequestKind, conversation: Conversation): Reply {
  if (conversation.schema !== undefined) return { text: JSON.stringify(sample(conversation.schema)) }
  if (!isSummary(conversation)) return { text: kind === 'summary' ? title : 'OK' }
  const summary = summaryAt(placeOf(entriesToSum(conversation)))
  // Gemini looks for this tag when it compresses a conversation.
  return {
    text: /state_snapshot/.test(conversation.system)
      ? `<state_snapshot>${summary}</state_snapshot>`
      : summary,
  }
}

const title = 'A scripted conversation'

// Gemini sums up its last session in a line; OpenCode and Claude look for a title.
const titleSystem =
  /you are a title generator|(succinct|sentence-case|issue) title|kebab-case name|summary label/i
const titleWords = /generate a title for this conversation|summarize the user's primary intent/i
// Gemini and OpenCode compress by a system prompt of their own, Codex and Claude by a last message.
const summarySystem = /structured XML <state_snapshot>|<state_snapshot> format|context summarization agent/i
const summaryWords = /CONTEXT CHECKPOINT COMPACTION|your task is to create a detailed summary of/i

function isSummary(conversation: Conversation): boolean {
  return summarySystem.test(conversation.system) || summaryWords.test(lastWords(conversation))
}

// Claude has small errands (which files a command touched, what a person might say next). Its turns have tools or, when a
// person switched all of them off, at least a working directory.
function isErrand(conversation: Conversation): boolean {
  if (/^\[SUGGESTION MODE:/m.test(lastWords(conversation))) return true
  const isClaude = /You are (Claude Code|a Claude agent)/.test(conversation.system)
  return isClaude && conversation.tools.length === 0 && workingDirectory(conversation) === undefined
}

function isTitleCall(conversation: Conversation): boolean {
  const { tools, system } = conversation
  return (tools.length === 0 && titleSystem.test(system)) || titleWords.test(lastWords(conversation))
}

function lastWords({ entries }: Conversation): string {
  const last = entries.slice(entries.findLastIndex((entry) => entry.from !== 'user') + 1)
  return last.map((entry) => (entry.from === 'user' ? entry.text : '')).join('\n')
}

function hasTitle(schema: LooseObject): boolean {
  return 'title' in objectOf(schema['properties'])
}

// The verdicts that keep a CLI on its way: a simple task, the person speaks next, no loop, nothing to correct.
const verdicts: LooseObject = {
  complexity_reasoning: 'A scripted turn is simple.',
  complexity_score: 10,
  model_choice: 'flash',
  next_speaker: 'user',
  reasoning: 'A scripted turn is simple.',
  title,
}

/** The smallest value that follows a JSON schema. */
function sample(schema: unknown): unknown {
  const { type, enum: values, properties, required, anyOf } = objectOf(schema)
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return sample(anyOf[0])
  const kind = (Array.isArray(type) ? String(type[0]) : String(type)).toLowerCase()
  if (kind === 'object' || isObject(properties)) {
    const names = Array.isArray(required) ? required.map(String) : Object.keys(objectOf(properties))
    return Object.fromEntries(
      names.map((name) => [name, verdicts[name] ?? sample(objectOf(properties)[name])]),
    )
  }
  if (kind === 'array') return []
  if (kind === 'boolean') return false
  if (kind === 'number' || kind === 'integer') return 0
  return kind === 'null' ? null : 'scripted'
}
