import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import type { Log } from '../core/log.ts'
import { Policies } from './policies.ts'
import type { PolicyState } from './policy-audit.ts'

/** The path of the rules file. */
export function getPolicyPath(remoraHome: string): string {
  return join(remoraHome, 'policies.json')
}

/**
 * The rules of the user, read again for each ask. An invalid file decides nothing: then every ask waits for a person, and
 * the log and `problem` give the reason.
 *
 * @example const policies = new PolicyFile(getPolicyPath(remoraHome), log); await policies.load()
 */
export class PolicyFile {
  readonly #path: string
  readonly #log: Log
  readonly #note: ((state: PolicyState) => Promise<void>) | undefined
  #text: string | undefined
  #policies: Policies = none
  #problem: string | undefined
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<Policies> | undefined

  /** `note` is called with every change before it decides an ask. */
  constructor(path: string, log: Log, note?: (state: PolicyState) => Promise<void>) {
    this.#path = path
    this.#log = log
    this.#note = note
  }

  /** The error in the file, if there is one. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Reads run one after the other, so that later callers never get older rules. Callers before a read share it. */
  load(): Promise<Policies> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined
      return this.#loadNow()
    })
    this.#last = this.#next.catch(() => {})
    return this.#next
  }

  async #loadNow(): Promise<Policies> {
    const policies = await this.#read()
    await this.#note?.({ text: this.#text, policies, problem: this.#problem })
    return policies
  }

  async #read(): Promise<Policies> {
    let text: string
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#take(none, missing ? undefined : `cannot read it: ${(error as Error).message}`)
      this.#text = undefined
      return this.#policies
    }
    // Reading a small file is cheap and never misses a change.
    if (text !== this.#text) {
      const { policies, problem } = await parsePolicies(text).then(
        (read) => ({ policies: read, problem: undefined }),
        (error: Error) => ({ policies: none, problem: error.message }),
      )
      this.#text = text
      this.#take(policies, problem)
    }
    return this.#policies
  }

  #take(policies: Policies, problem: string | undefined): void {
    this.#policies = policies
    if (problem !== undefined && problem !== this.#problem)
      this.#log('error', `No rule applies: ${this.#path} is invalid: ${problem}`)
    this.#problem = problem
  }
}

const none: Policies = { rules: [] }

/** Throws a readable error for an invalid file. @example await parsePolicies('{ "rules": [] }') */
export async function parsePolicies(text: string): Promise<Policies> {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true, disallowComments: false })
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    throw new Error(`line ${line}: ${printParseErrorCode(error.error)}`)
  }
  const { success, data, error: fault } = Policies.safeParse(value)
  if (!success) throw new Error(z.prettifyError(fault).replaceAll(/\s*\n\s*/g, ' '))
  if (data.rules.length > 0) {
    // Reports paths and commands that can never match.
    const { checkPermissions } = await import('@remora/sdk/acp')
    checkPermissions({
      rules: data.rules.map(({ decide, tool, command, path }) => ({
        decide: decide === 'allow' ? ('auto' as const) : decide,
        ...(tool === undefined ? {} : { tool }),
        ...(command === undefined ? {} : { command }),
        ...(path === undefined ? {} : { path }),
      })),
    })
  }
  return data
}
