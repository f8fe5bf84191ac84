import { createHash } from 'node:crypto'
import type { Conversation, Position } from './conversation.ts'
import { workingDirectory } from './conversation.ts'
import type { WireName } from './log.ts'
import type { Reply } from './scenario.ts'
import { toNativeCall } from './tools.ts'

/** A reply with chunks, native tools, ids and token counts, ready for a wire to serialize. */
export interface Answer {
  id: string
  model: string
  thoughts: string[]
  texts: string[]
  calls: NativeCall[]
  usage: { input: number; output: number; cached: number; thought: number }
  stop: 'end' | 'tools' | 'safety' | 'length'
}

export interface NativeCall {
  id: string
  name: string
  namespace?: string
  input: Record<string, unknown>
}

export function createAnswer(
  reply: Reply,
  wire: WireName,
  conversation: Conversation,
  position: Position,
): Answer {
  const directory = workingDirectory(conversation)
  const id = createId(position)
  const texts = (typeof reply.text === 'string' ? [reply.text] : (reply.text ?? [])).map((text) =>
    directory === undefined ? text : text.replaceAll('{cwd}', directory),
  )
  const tools = reply.tools ?? []
  return {
    id,
    model: conversation.model,
    thoughts: (reply.thoughts ?? []).map(({ subject, description }) => `**${subject}**\n\n${description}\n`),
    texts: reply.fault?.kind === 'empty' ? [] : texts,
    calls: tools.map((call, index) => ({
      id: `${id}c${String(index)}`,
      ...toNativeCall(call, wire, conversation.tools, directory),
    })),
    usage: countUsage(reply, position),
    stop: reply.stop ?? (tools.length > 0 ? 'tools' : 'end'),
  }
}

// Unique in a conversation, also after a compaction, and the same for a retried request.
function createId(position: Position): string {
  const prompts = createHash('sha256').update(JSON.stringify(position.prompts)).digest('hex')
  return `${prompts.slice(0, 6)}t${String(position.prompts.length)}r${String(position.reply)}`
}

// Counted from the scenario and not from the request, so that it is the same in every home and version of a CLI.
function countUsage(reply: Reply, position: Position): Answer['usage'] {
  const { text = '', tools = [], thoughts = [], usage = {} } = reply
  const content = typeof text === 'string' ? text : text.join('')
  return {
    input: usage.input ?? 100 + tokens(position.prompts.join('\n')) + 50 * position.reply,
    output: usage.output ?? tokens(content) + (tools.length > 0 ? tokens(JSON.stringify(tools)) : 0),
    cached: usage.cached ?? 0,
    thought:
      usage.thought ?? tokens(thoughts.map((thought) => thought.subject + thought.description).join('')),
  }
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4)
}
