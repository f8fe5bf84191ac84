import { createHash } from 'node:crypto'
import type { Conversation, Place } from './conversation.ts'
import { workingDirectory } from './conversation.ts'
import type { WireName } from './log.ts'
import type { Reply } from './scenario.ts'
import { nativeCall } from './tools.ts'

/** A reply made concrete: chunks, native tools, ids and token counts; a wire only has to write it down. */
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

export function answerFor(reply: Reply, wire: WireName, conversation: Conversation, place: Place): Answer {
  const directory = workingDirectory(conversation)
  const id = idOf(place)
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
      ...nativeCall(call, wire, conversation.tools, directory),
    })),
    usage: usageOf(reply, place),
    stop: reply.stop ?? (tools.length > 0 ? 'tools' : 'end'),
  }
}

// Unique in a conversation, also after the CLI compressed its history, and the same for a request that is sent again.
function idOf(place: Place): string {
  const prompts = createHash('sha256').update(JSON.stringify(place.prompts)).digest('hex')
  return `${prompts.slice(0, 6)}t${String(place.prompts.length)}r${String(place.reply)}`
}

// Counted from the scenario's own words and not from the request: the same in every home and every version of a CLI.
function usageOf(reply: Reply, place: Place): Answer['usage'] {
  const { text = '', tools = [], thoughts = [], usage = {} } = reply
  const said = typeof text === 'string' ? text : text.join('')
  return {
    input: usage.input ?? 100 + tokens(place.prompts.join('\n')) + 50 * place.reply,
    output: usage.output ?? tokens(said) + (tools.length > 0 ? tokens(JSON.stringify(tools)) : 0),
    cached: usage.cached ?? 0,
    thought:
      usage.thought ?? tokens(thoughts.map((thought) => thought.subject + thought.description).join('')),
  }
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4)
}
