import type { EventFields } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

type Kind = 'text' | 'thinking' | 'user' | 'search'

/** How many ids are kept. Reading on in a file only needs recent ones. */
const maxRecent = 200

/**
 * The current turn of a thread. Codex has no ids for messages, so the id of a message is made of the turn and the number
 * of the answer in it.
 */
export class Turns {
  cwd = ''
  thread = ''
  model: string | undefined
  #turn = ''
  #answers = 0
  #counts: Partial<Record<Kind, number>> = {}
  #headed = ''
  #prompts: string[] = []
  #reported: string[] = []
  #cancelled: string[] = []

  constructor(state: unknown) {
    const known = asRecord(state)
    if (!known) return
    this.cwd = asString(known['cwd']) ?? ''
    this.thread = asString(known['thread']) ?? ''
    this.model = asString(known['model'])
    this.#turn = asString(known['turn']) ?? ''
    this.#answers = Number(known['answers']) || 0
    this.#counts = { ...(asRecord(known['counts']) as Partial<Record<Kind, number>>) }
    this.#headed = asString(known['headed']) ?? ''
    this.#prompts = toStrings(known['prompts'])
    this.#reported = toStrings(known['told'])
    this.#cancelled = toStrings(known['cancelled'])
  }

  state(): object {
    return {
      cwd: this.cwd,
      thread: this.thread,
      ...(this.model === undefined ? {} : { model: this.model }),
      turn: this.#turn,
      answers: this.#answers,
      counts: this.#counts,
      headed: this.#headed,
      prompts: this.#prompts,
      told: this.#reported,
      cancelled: this.#cancelled,
    }
  }

  get message(): string {
    // Older files have no turn ids, so the thread is used.
    return `${this.#turn || `${this.thread}/turn`}/${this.#answers}`
  }

  begin(turn: string | undefined): void {
    if (turn === undefined || turn === this.#turn) return
    this.#turn = turn
    this.#answers = 0
  }

  /** Called when the tokens of an answer are read, which follow it. */
  endAnswer(): void {
    this.#answers++
  }

  /** Starts the message with its first item. */
  head(): EventFields[] {
    if (this.#headed === this.message) return []
    this.#headed = this.message
    const model = this.model === undefined ? {} : { model: this.model }
    return [{ type: 'message', entity: this.message, role: 'assistant', ...model }]
  }

  /** The id of an item, or a generated one for versions before 0.140, which have none. */
  entity(item: AgentRecord, kind: Kind): string {
    const count = this.#counts[kind] ?? 0
    this.#counts[kind] = count + 1
    return asString(item['id']) ?? `${kind}/${count}`
  }

  addPrompt(prompt: string): void {
    this.#prompts.push(prompt)
    this.#prompts = this.#prompts.slice(-maxRecent)
    // Old versions have no ids for turns.
    if (this.#turn === '' || /^turn-\d+$/.test(this.#turn)) this.begin(`turn-${this.#counts.user}`)
  }

  /** Removes the last prompts, and returns the first of them. */
  rewind(turns: number): string | undefined {
    return this.#prompts.splice(Math.max(0, this.#prompts.length - turns))[0]
  }

  /** Remembers a call whose result was read from an event. The output for the model follows with fewer details. */
  setReported(call: string): void {
    this.#reported = [...this.#reported, call].slice(-maxRecent)
  }

  takeReported(call: string): boolean {
    if (!this.#reported.includes(call)) return false
    this.#reported = this.#reported.filter((each) => each !== call)
    return true
  }

  /** A cancelled command may continue in the background and end with success. */
  setCancelled(call: string): void {
    this.#cancelled = [...this.#cancelled, call].slice(-maxRecent)
  }

  wasCancelled(call: string): boolean {
    return this.#cancelled.includes(call)
  }
}

function toStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
