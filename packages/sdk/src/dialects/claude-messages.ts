import type { EventFields } from '../events/event-maker.ts'
import { asRecord, asString } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'
import { toMessageUsage } from './claude-content.ts'

export type Kind = 'text' | 'thinking'

/** One message of the assistant, block by block. */
interface Written {
  /** How many blocks of a kind are complete. */
  readonly blocks: Record<Kind, number>
  /** The streamed part of the current block. */
  readonly streamed: Record<Kind, string>
  model?: string | undefined
  usage: AgentRecord
}

// The complete block repeats the signature and the input.
const knownDeltas = new Set<unknown>(['signature_delta', 'input_json_delta', 'citations_delta'])

/**
 * The assistant's messages as they are written. Each block is sent twice, in pieces and then complete. Both get the same
 * entity, which counts the blocks of a kind in a message as the transcript does.
 */
export class WrittenMessages {
  readonly #messages = new Map<string, Written>()
  /** The message that is being streamed, by the call whose sub-agent writes it. */
  readonly #current = new Map<string, string>()

  has(id: string): boolean {
    return this.#messages.has(id)
  }

  /** The message of a complete block. Some CLIs give its later blocks ids of their own while it is being streamed. */
  find(id: string, parent: string): string {
    return this.has(id) ? id : (this.#current.get(parent) ?? id)
  }

  /** Reads a piece of a message. Empty for pieces that the complete block repeats; undefined for unknown ones. */
  stream(event: AgentRecord, parent: string): EventFields[] | undefined {
    const id = this.#current.get(parent) ?? ''
    switch (event['type']) {
      case 'message_start':
        return this.#restart(asRecord(event['message']) ?? {}, parent)
      case 'content_block_start': {
        const kind = asRecord(event['content_block'])?.['type']
        const message = this.#messages.get(id)
        if (message && (kind === 'text' || kind === 'thinking')) message.streamed[kind] = ''
        return []
      }
      case 'content_block_delta':
        return this.#delta(asRecord(event['delta']) ?? {}, id)
      case 'message_delta':
        return this.#usage(asRecord(event['usage']), id)
      case 'message_stop':
        this.#current.delete(parent)
        return []
      case 'content_block_stop':
      case 'ping':
        return []
      default:
        return undefined
    }
  }

  #restart(message: AgentRecord, parent: string): EventFields[] | undefined {
    const id = asString(message['id'])
    if (id === undefined) return undefined
    this.#current.set(parent, id)
    // The same id again is a retry of the message from its start.
    this.#messages.delete(id)
    return this.begin(id, message)
  }

  begin(id: string, message: AgentRecord): EventFields[] {
    const model = asString(message['model'])
    const written: Written = {
      blocks: { text: 0, thinking: 0 },
      streamed: { text: '', thinking: '' },
      model: model === '<synthetic>' ? undefined : model,
      usage: asRecord(message['usage']) ?? {},
    }
    this.#messages.set(id, written)
    return [
      { type: 'message', entity: id, role: 'assistant', ...(written.model ? { model: written.model } : {}) },
    ]
  }

  #delta(delta: AgentRecord, id: string): EventFields[] | undefined {
    const kind =
      delta['type'] === 'text_delta' ? 'text' : delta['type'] === 'thinking_delta' ? 'thinking' : undefined
    if (kind === undefined) return knownDeltas.has(delta['type']) ? [] : undefined
    const text = asString(delta[kind])
    const message = this.#messages.get(id)
    if (!message || text === undefined) return undefined
    const offset = message.streamed[kind].length
    message.streamed[kind] += text
    return [{ type: kind, entity: `${id}/${kind}/${message.blocks[kind]}`, message: id, offset, text }]
  }

  /** Only the end of a message has its final token counts; the blocks repeat those of its start. */
  #usage(usage: AgentRecord | undefined, id: string): EventFields[] | undefined {
    const message = this.#messages.get(id)
    if (!usage || !message) return undefined
    const known = toMessageUsage({ ...message.usage, ...usage })
    return [
      {
        type: 'usage',
        entity: id,
        scope: 'message',
        usage: known,
        ...(message.model ? { model: message.model } : {}),
      },
    ]
  }

  /** Ends the streamed block with the text that was not streamed yet. */
  finish(kind: Kind, text: string, id: string): EventFields {
    const message = this.#messages.get(id)!
    const streamed = message.streamed[kind]
    message.streamed[kind] = ''
    const entity = `${id}/${kind}/${message.blocks[kind]++}`
    const offset = text.startsWith(streamed) ? streamed.length : 0
    return { type: kind, entity, message: id, offset, text: text.slice(offset), final: true }
  }
}
