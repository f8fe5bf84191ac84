import { getEntriesToSummarize, createSummary } from './compaction.ts'
import { findPosition, workingDirectory, type Conversation, type Position } from './conversation.ts'
import { isObject, toObject, type LooseObject } from './loose-json.ts'
import type { RequestKind } from './log.ts'
import type { Reply } from './scenario.ts'

/** Distinguishes turns from a CLI's own side calls, by the shape of the request and the text of its instructions. */
export function classifyRequest(conversation: Conversation, position: Position): RequestKind {
  if (conversation.schema !== undefined) return hasTitle(conversation.schema) ? 'summary' : 'router'
  if (isTitleCall(conversation) || isSummary(conversation)) return 'summary'
  return position.prompts.length === 0 || isErrand(conversation) ? 'other' : 'turn'
}

/** A harmless answer to a side call, which uses no reply of the scenario. */
export function createSideReply(kind: RequestKind, conversation: Conversation): Reply {
  if (conversation.schema !== undefined) return { text: JSON.stringify(sample(conversation.schema)) }
  if (!isSummary(conversation)) return { text: kind === 'summary' ? title : 'OK' }
  const summary = createSummary(findPosition(getEntriesToSummarize(conversation)))
  // Gemini expects this tag when it compresses a conversation.
  return {
    text: /state_snapshot/.test(conversation.system)
      ? `<state_snapshot>${summary}</state_snapshot>`
      : summary,
  }
}

const title = 'A scripted conversation'

// Gemini requests a one-line summary of its last session; OpenCode and Claude request a title.
const titleSystem =
  /you are a title generator|(succinct|sentence-case|issue) title|kebab-case name|summary label/i
const titlePrompt = /generate a title for this conversation|summarize the user's primary intent/i
// Gemini and OpenCode request a compaction by a system prompt, Codex and Claude by the last message.
const summarySystem = /structured XML <state_snapshot>|<state_snapshot> format|context summarization agent/i
const summaryPrompt = /CONTEXT CHECKPOINT COMPACTION|your task is to create a detailed summary of/i

function isSummary(conversation: Conversation): boolean {
  return summarySystem.test(conversation.system) || summaryPrompt.test(getLastUserText(conversation))
}

// Claude makes small side calls (which files a command touched, suggestions for the next prompt). Its turns have tools
// or, if the user disabled all tools, at least a working directory.
function isErrand(conversation: Conversation): boolean {
  if (/^\[SUGGESTION MODE:/m.test(getLastUserText(conversation))) return true
  const isClaude = /You are (Claude Code|a Claude agent)/.test(conversation.system)
  return isClaude && conversation.tools.length === 0 && workingDirectory(conversation) === undefined
}

function isTitleCall(conversation: Conversation): boolean {
  const { tools, system } = conversation
  return (tools.length === 0 && titleSystem.test(system)) || titlePrompt.test(getLastUserText(conversation))
}

function getLastUserText({ entries }: Conversation): string {
  const last = entries.slice(entries.findLastIndex((entry) => entry.from !== 'user') + 1)
  return last.map((entry) => (entry.from === 'user' ? entry.text : '')).join('\n')
}

function hasTitle(schema: LooseObject): boolean {
  return 'title' in toObject(schema['properties'])
}

// Verdicts that let a CLI continue: a simple task, the user speaks next, no loop, nothing to correct.
const verdicts: LooseObject = {
  complexity_reasoning: 'A scripted turn is simple.',
  complexity_score: 10,
  model_choice: 'flash',
  next_speaker: 'user',
  reasoning: 'A scripted turn is simple.',
  title,
}

/** The smallest value that conforms to a JSON schema. */
function sample(schema: unknown): unknown {
  const { type, enum: values, properties, required, anyOf } = toObject(schema)
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return sample(anyOf[0])
  const kind = (Array.isArray(type) ? String(type[0]) : String(type)).toLowerCase()
  if (kind === 'object' || isObject(properties)) {
    const names = Array.isArray(required) ? required.map(String) : Object.keys(toObject(properties))
    return Object.fromEntries(
      names.map((name) => [name, verdicts[name] ?? sample(toObject(properties)[name])]),
    )
  }
  if (kind === 'array') return []
  if (kind === 'boolean') return false
  if (kind === 'number' || kind === 'integer') return 0
  return kind === 'null' ? null : 'scripted'
}
