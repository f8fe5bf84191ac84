import { randomBytes } from 'node:crypto'
import { RemoraError } from '@remora/protocol/plain'
import type { Collection, Store } from '../core/store.ts'
import type { Instruction } from '@remora/protocol/api'

const maxInstructions = 200

/** Instructions for reviewers that the user saved under a name. */
export class Instructions {
  readonly #collection: Collection<Instruction>

  constructor(store: Store) {
    this.#collection = store.collection('instructions')
  }

  async list(): Promise<Instruction[]> {
    return [...(await this.#collection.all()).values()].toSorted((left, right) =>
      left.title.localeCompare(right.title),
    )
  }

  async get(id: string): Promise<Instruction> {
    const found = await this.#collection.get(id)
    if (!found) throw new RemoraError('not_found', 'Saved instructions not found')
    return found
  }

  async add({ title, text }: Pick<Instruction, 'title' | 'text'>): Promise<Instruction> {
    if ((await this.list()).length >= maxInstructions)
      throw new RemoraError('conflict', `You already have ${maxInstructions} saved instructions`, {
        hint: 'Delete some first.',
      })
    const instruction = { id: `i-${randomBytes(5).toString('hex')}`, title, text, at: Date.now() }
    await this.#collection.put(instruction.id, instruction)
    return instruction
  }

  async change(
    id: string,
    changes: { readonly title?: string | undefined; readonly text?: string | undefined },
  ): Promise<Instruction> {
    const before = await this.get(id)
    const instruction = {
      ...before,
      title: changes.title ?? before.title,
      text: changes.text ?? before.text,
      at: Date.now(),
    }
    await this.#collection.put(id, instruction)
    return instruction
  }

  async remove(id: string): Promise<void> {
    await this.get(id)
    await this.#collection.remove(id)
  }
}
