import type { EventFields } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

type Kind = 'text' | 'thinking' | 'user' | 'search'

/** How many names are remembered: what goes on in a file needs what is near. */
const near = 200

/**
 * Where a thread stands. A message is what the model said at one call, which Codex has no name for: it is the turn and
 * the number of the answer in it.
 */
export class Turns {
  cwd = ''
  /** The thread that the file is of. */
  thread = ''
  model: string | undefined
  #turn = ''
  #answers = 0
  #counts: Partial<Record<Kind, number>> = {}
  #headed = ''
  #prompts: string[] = []
  #told: string[] = []
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
    this.#prompts = namesIn(known['prompts'])
    this.#told = namesIn(known['told'])
    this.#cancelled = namesIn(known['cancelled'])
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
      told: this.#told,
      cancelled: this.#cancelled,
    }
  }

  get message(): string {
    // Older files name no turns; what has no name of its own is at least its thread's.
    return `${this.#turn || `${this.thread}/turn`}/${this.#answers}`
  }

  begin(turn: string | undefined): void {
    if (turn === undefined || turn === this.#turn) return
    this.#turn = turn
    this.#answers = 0
  }

  /** The model's answer is complete, since its tokens are told. */
  answered(): void {
    this.#answers++
  }

  /** A message begins with the first thing that is told of it. */
  head(): EventFields[] {
    if (this.#headed === this.message) return []
    this.#headed = this.message
    const model = this.model === undefined ? {} : { model: this.model }
    return [{ type: 'message', entity: this.message, role: 'assistant', ...model }]
  }

  /** The name of an item, or one that we make up where versions before 0.140 have none. */
  entity(item: AgentRecord, kind: Kind): string {
    const count = this.#counts[kind] ?? 0
    this.#counts[kind] = count + 1
    return asString(item['id']) ?? `${kind}/${count}`
  }

  prompted(prompt: string): void {
    this.#prompts.push(prompt)
    this.#prompts = this.#prompts.slice(-near)
    // Old versions have no names for turns.
    if (this.#turn === '' || /^turn-\d+$/.test(this.#turn)) this.begin(`turn-${this.#counts.user}`)
  }

  /** Forgets the last prompts, and tells the first of them. */
  takeBack(turns: number): string | undefined {
    return this.#prompts.splice(Math.max(0, this.#prompts.length - turns))[0]
  }

  /** An event told what a call gave back; what the model was told of it comes later, and says less. */
  ended(call: string): void {
    this.#told = [...this.#told, call].slice(-near)
  }

  told(call: string): boolean {
    if (!this.#told.includes(call)) return false
    this.#told = this.#told.filter((each) => each !== call)
    return true
  }

  /** What a person stopped may go on behind their back, and end well. */
  cancelled(call: string): void {
    this.#cancelled = [...this.#cancelled, call].slice(-near)
  }

  wasCancelled(call: string): boolean {
    return this.#cancelled.includes(call)
  }
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
