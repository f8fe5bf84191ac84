import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Ledger } from '@remora/ledger'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import type { Log } from '../core/log.ts'
import { getLocalPerson } from '../security/people.ts'
import { Policies } from './policies.ts'

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

/** The digest of a missing file. */
const nothing = 'none'

/** The current rules: as text, and parsed. */
export interface PolicyState {
  readonly text: string | undefined
  readonly policies: Policies
  readonly problem: string | undefined
}

/**
 * Records changed rules in the audit log, also if they changed while no server was running. Only the user of the machine
 * can write their file. Never rejects.
 */
export function createPolicyAudit(
  ledger: Pick<Ledger, 'append' | 'marks' | 'audit'>,
  file: string,
  log: Log,
): (state: PolicyState) => Promise<void> {
  // Each machine of a shared ledger has its own rules.
  const mark = `server/noted-policies/${hashText(`${hostname()} ${file}`)}`
  let noted: string | undefined
  let work = Promise.resolve()
  const enter = async ({ text, policies, problem }: PolicyState): Promise<void> => {
    const digest = text === undefined ? nothing : hashText(text)
    if (digest === noted) return
    const before = (await ledger.marks(mark)).get(mark) ?? nothing
    noted = digest
    if (before === digest) return
    const detail = problem === undefined ? { rules: policies.rules } : { problem }
    await ledger.audit.append({ what: 'policy', who: `${getLocalPerson()}, policies.json`, detail })
    await ledger.append([], { marks: { [mark]: digest } })
  }
  return (state) => {
    work = work
      .then(() => enter(state))
      .catch((error: unknown) =>
        log('error', 'Cannot record changed rules in the audit log', { error: String(error) }),
      )
    return work
  }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
