import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import type { Log } from '../core/log.ts'
import { Policies } from './policies.ts'
import type { PolicyState } from './policy-audit.ts'

/** Where the rules are. */
export function policyPath(remoraHome: string): string {
  return join(remoraHome, 'policies.json')
}

/**
 * The rules of a person, read again whenever they may have changed. A file that cannot be understood decides nothing:
 * then every ask waits for somebody, and the log and `problem` say why.
 *
 * @example const policies = new PolicyFile(policyPath(remoraHome), log); await policies.load()
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

  /** With `note` every change is told before the first ask is decided by it. */
  constructor(path: string, log: Log, note?: (state: PolicyState) => Promise<void>) {
    this.#path = path
    this.#log = log
    this.#note = note
  }

  /** What is wrong with the file, if anything is. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** One look after the other, so that who asks later never finds older rules; all who ask before one begins share it. */
  load(): Promise<Policies> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined
      return this.#look()
    })
    this.#last = this.#next.catch(() => {})
    return this.#next
  }

  async #look(): Promise<Policies> {
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
      this.#take(none, missing ? undefined : `it cannot be read: ${(error as Error).message}`)
      this.#text = undefined
      return this.#policies
    }
    // A small file: to read it costs less than to be wrong about whether it has changed.
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
      this.#log('error', `No rule counts, since ${this.#path} is not as it should be: ${problem}`)
    this.#problem = problem
  }
}

const none: Policies = { rules: [] }

/** Throws what is wrong with it, in words. @example await parsePolicies('{ "rules": [] }') */
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
    // The same words as everywhere: a path or a command that can never fit is told.
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
