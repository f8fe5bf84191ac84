import type { Answer, Ask, AskBroker, AskOption } from '@remora/protocol'

/** What a person says to a question: the option with this effect, or nothing at all. */
export type Person = (ask: Ask) => AskOption['effect'] | 'silence'

/** Somebody for each session who answers what the agent asks there. */
export class People implements AskBroker {
  readonly #people = new Map<string, { person: Person; readonly asked: Ask[] }>()

  answerBy(session: { readonly id: string }, person: Person): void {
    const known = this.#people.get(session.id)
    this.#people.set(session.id, { person, asked: known?.asked ?? [] })
  }

  /** What was asked in a session so far. */
  askedIn(session: { readonly id: string }): readonly Ask[] {
    return this.#people.get(session.id)?.asked ?? []
  }

  async ask(ask: Ask, { session, signal }: Parameters<AskBroker['ask']>[1]): Promise<Answer> {
    const { asked, person } = this.#people.get(session)!
    asked.push(ask)
    const effect = person(ask)
    if (effect === 'silence')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    const option = ask.options.find((each) => each.effect === effect)
    if (!option) throw new Error(`The agent offers nothing to ${effect}: ${JSON.stringify(ask.options)}`)
    return { ask: ask.id, option: option.id, by: 'person', digest: ask.digest }
  }
}
