import type { Event, EventOf } from '@remora/protocol/plain'
import type { ConversationPrinter } from './conversation-printer.ts'

/** Prints events as they arrive, in the form of whole messages. */
export class EventPrinter {
  readonly #printer: ConversationPrinter
  /** How much of each text is printed. */
  readonly #lengths = new Map<string, number>()
  /** The text so far, by message. */
  readonly #messages = new Set<string>()
  readonly #prompts = new Set<string>()
  readonly #models = new Map<string, string>()
  /** Calls whose input is still unknown. */
  readonly #waiting = new Map<string, EventOf<'tool_use'>>()
  #model: string | undefined

  constructor(printer: ConversationPrinter) {
    this.#printer = printer
  }

  print(event: Event): void {
    switch (event.type) {
      case 'message':
        return this.#message(event)
      case 'text':
      case 'thinking':
        return this.#words(event)
      case 'tool_use':
        return this.#call(event)
      case 'tool_result':
        return this.#result(event)
      case 'media':
        this.#speak(event)
        return this.#printer.block({
          type: event.kind,
          source: event.source,
          ...(event.name ? { name: event.name } : {}),
        })
      case 'session':
        if (event.model !== undefined && event.parent === undefined) this.#model = event.model
        return
      case 'error':
        return this.#printer.notice(event.message)
      case 'status':
        return this.#status(event)
      default:
        return
    }
  }

  #message({ entity, role, content = [], context, model, agent, at, parent }: EventOf<'message'>): void {
    if (model !== undefined) this.#models.set(entity, model)
    if (role !== 'system' && !context && parent === undefined) this.#messages.add(entity)
    if (role === 'assistant' || context || this.#prompts.has(entity)) return
    this.#prompts.add(entity)
    this.#printer.message({
      id: entity,
      role,
      content,
      timestamp: at,
      tool: agent,
      _original: [],
      ...(parent === undefined ? {} : { parent }),
    })
  }

  #words(event: EventOf<'text' | 'thinking'>): void {
    const shown = this.#lengths.get(event.entity) ?? 0
    const fresh = event.text.slice(Math.max(0, shown - event.offset))
    if (fresh.trim() === '') return
    this.#lengths.set(event.entity, event.offset + event.text.length)
    this.#speak(event)
    if (event.type === 'text') this.#printer.words(fresh)
    else if (shown > 0) this.#printer.thought({ thinking: fresh })
    else
      this.#printer.thought({
        thinking: fresh,
        ...(event.subject === undefined ? {} : { subject: event.subject }),
        ...(event.description === undefined ? {} : { description: event.description }),
      })
  }

  /** Some agents report a call before its input. */
  #call(event: EventOf<'tool_use'>): void {
    const { input } = event
    if (typeof input === 'object' && input !== null && Object.keys(input).length === 0)
      this.#waiting.set(event.entity, event)
    else this.#printCall(event)
  }

  #printCall(event: EventOf<'tool_use'>): void {
    this.#waiting.delete(event.entity)
    this.#speak(event)
    this.#printer.call({ type: 'tool_use', id: event.entity, name: event.name, input: event.input })
  }

  #result(event: EventOf<'tool_result'>): void {
    const waiting = this.#waiting.get(event.entity)
    if (waiting) this.#printCall(waiting)
    this.#printer.result({
      tool_use_id: event.entity,
      status: event.status,
      ...(event.content === undefined ? {} : { content: event.content }),
      ...(event.display === undefined ? {} : { display: event.display }),
    })
  }

  #status({ status, detail, value }: EventOf<'status'>): void {
    if (status === 'rewound') {
      // The list of all messages is rewritten at every resume. Only a complete list that omits messages removes them.
      const { keep, exact } = (value ?? {}) as { keep?: readonly string[]; exact?: boolean }
      const isBack = keep ? exact && [...this.#messages].some((id) => !keep.includes(id)) : true
      if (isBack) this.#printer.notice('The conversation was rewound to an earlier point.')
    } else if (status === 'compacting' || status === 'retrying') {
      const wait = (value as { waitMs?: unknown } | undefined)?.waitMs
      const soon = typeof wait === 'number' && wait > 0 ? ` in ${(wait / 1000).toFixed(1)} s` : ''
      this.#printer.notice(`${status}${soon}${detail ? `: ${detail}` : ''}`)
    }
  }

  #speak(event: EventOf<'text' | 'thinking' | 'tool_use' | 'media'>): void {
    const model = this.#models.get(event.message ?? '') ?? this.#model
    this.#printer.speaker({
      role: 'assistant',
      tool: event.agent,
      timestamp: event.at,
      ...(model === undefined ? {} : { model }),
      ...(event.parent === undefined ? {} : { parent: event.parent }),
    })
  }
}
