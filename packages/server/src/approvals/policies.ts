import { raceAsks } from '@remora/intake'
import { type Answer, type Ask, type AskBroker, type AskedCall, RemoraError } from '@remora/protocol/plain'
import type { PermissionRule, Question, readQuestion } from '@remora/sdk/acp'
import { z } from 'zod'
import { findDenial } from './dialog-rules.ts'

const text = z.string().trim().min(1).max(10_000)

/** One rule. Everything that it names must fit. */
export const PolicyRule = z
  .strictObject({
    decide: z.enum(['allow', 'deny']),
    /** The agent, or several. */
    agent: z.union([text, z.array(text).min(1)]).optional(),
    /** The tool by Claude's name, in large or small letters; `*` stands for any part. */
    tool: text.optional(),
    /** The command, word by word; `*` stands for any part of one plain command and never for a second one. */
    command: text.optional(),
    /** Paths relative to the session's folder, or absolute: `*` within a name, `**` for any folders. */
    path: text.optional(),
  })
  .refine(({ decide, tool, command, path }) => decide === 'deny' || (tool ?? command ?? path) !== undefined, {
    error: 'A rule that allows must name a tool, a command or a path',
  })
export type PolicyRule = z.infer<typeof PolicyRule>

export const Policies = z.strictObject({
  $schema: z.string().optional(),
  rules: z.array(PolicyRule).max(1000).default([]),
  /** A permission request without an answer is denied after this many seconds. */
  timeoutSeconds: z
    .number()
    .positive()
    .max(30 * 24 * 3600)
    .optional(),
})
export type Policies = z.infer<typeof Policies>

/** The decision of the rules about an ask: an answer, or the deadline for one. */
export interface Ruling {
  readonly rule?: Omit<Answer, 'ask' | 'digest'>
  readonly expiresAt?: number
}

export interface RulingContext {
  readonly agent: string
  readonly session: string
  /** The folder of the session. Without it no path is known to be inside of it. */
  readonly cwd?: string
  /** The exact call as the agent reported it, if it has more than the ask. */
  readonly call?: AskedCall
}

/**
 * Decides by rules. Only permission requests are decided, and a rule that denies wins over every one that allows. Rules that
 * allow look only at exact fields and allow once. Rules that deny also look at all text of a dialog.
 *
 * @example (await decideByRules(policies, ask, { agent: 'claude', session, cwd })).rule?.option
 */
export async function decideByRules(policies: Policies, ask: Ask, about: RulingContext): Promise<Ruling> {
  if (ask.kind !== 'permission') return expiring(ask.expiresAt)
  const { timeoutSeconds } = policies
  const limit = timeoutSeconds === undefined ? undefined : Date.now() + timeoutSeconds * 1000
  const expiresAt = Math.min(ask.expiresAt ?? Infinity, limit ?? Infinity)
  const index = await fitting(policies.rules, ask, about)
  const rule = index === undefined ? undefined : policies.rules[index]!
  // Allow once: only a person can choose to always allow.
  const option = rule && ask.options.find(({ effect }) => effect === rule.decide)
  if (!option) return expiring(expiresAt === Infinity ? undefined : expiresAt)
  return { rule: { option: option.id, by: 'policy', device: `rule ${index! + 1}, ${formatRule(rule)}` } }
}

function expiring(expiresAt: number | undefined): Ruling {
  return expiresAt === undefined ? {} : { expiresAt }
}

/** A rule as short text. @example formatRule({ decide: 'deny', command: 'rm *' }) // 'deny rm *' */
export function formatRule({ decide, tool, command, path }: PolicyRule): string {
  return [decide, tool, command, path].filter((part) => part !== undefined).join(' ')
}

/** The index of the rule that decides, if one fits. */
async function fitting(
  rules: readonly PolicyRule[],
  ask: Ask,
  about: RulingContext,
): Promise<number | undefined> {
  const own = rules
    .map((rule, index) => ({ rule, index }))
    .filter(({ rule: { agent } }) => agent === undefined || [agent].flat().includes(about.agent))
  if (own.length === 0) return undefined
  // Loaded only if there are rules.
  const sdk = await import('@remora/sdk/acp')
  const question = questionIn(ask, about, sdk.readQuestion)
  const exact = about.call !== undefined || (ask.exact === true && ask.tool !== undefined)
  const runs = question.command !== undefined || question.kind === 'execute' || question.call.name === 'Bash'
  const placed = about.cwd !== undefined || about.call !== undefined
  // Only a rule about commands allows a command, and only if the command is known exactly.
  const allows = ({ command, path }: PolicyRule): boolean =>
    exact && (!runs || command !== undefined) && (placed || path === undefined)
  const wanted = [
    ...own.filter(({ rule }) => rule.decide === 'deny'),
    ...own.filter(({ rule }) => rule.decide === 'allow' && allows(rule)),
  ]
  const asPermissions = wanted.map(({ rule }): PermissionRule => {
    const { decide, tool, command, path } = rule
    return {
      decide: decide === 'allow' ? 'auto' : 'deny',
      ...(tool === undefined ? {} : { tool }),
      ...(command === undefined ? {} : { command }),
      ...(path === undefined ? {} : { path }),
    }
  })
  const found =
    (await sdk.ruleFor(asPermissions, question)) ??
    // An exact call is not denied because of the text around it.
    (exact
      ? undefined
      : await findDenial(
          asPermissions.filter(({ decide }) => decide === 'deny'),
          question,
          sdk.ruleFor,
        ))
  return found && wanted[asPermissions.indexOf(found)]!.index
}

function questionIn(
  ask: Ask,
  { agent, session, cwd = '/', call }: RulingContext,
  read: typeof readQuestion,
): Question {
  if (call) {
    const { cwd, name, native, input, ...rest } = call
    return { agent, session, cwd, ask, call: { name, native, input }, ...rest }
  }
  const name = ask.tool ?? ''
  return read({}, { agent, session, cwd, ask, call: { name, native: name, input: ask.input } })
}

/**
 * Lets rules answer before a person is asked, and denies after the timeout. The broker behind it gets the ask in both
 * cases, so that the ledger has the decision.
 *
 * @example const asks = createPolicyAsks(() => file.load(), ledgerAsks(ledger))
 */
export function createPolicyAsks(
  policies: Policies | (() => Promise<Policies>),
  broker: AskBroker,
): AskBroker {
  const load = typeof policies === 'function' ? policies : async () => policies
  return raceAsks(createRuleAsks(load), broker)
}

/** Answers by rules only; never settles if none matches. */
function createRuleAsks(load: () => Promise<Policies>): AskBroker {
  return {
    async ask(ask, { signal, ...about }) {
      const { rule, expiresAt } = await decideByRules(await load(), ask, about)
      const answer = (how: Omit<Answer, 'ask' | 'digest'>): Answer => ({
        ask: ask.id,
        ...how,
        digest: ask.digest,
      })
      if (rule) return answer(rule)
      const no = ask.options.find(({ effect }) => effect === 'deny')
      await waitForDeadline(signal, no && ask.kind === 'permission' ? expiresAt : undefined)
      if (signal.aborted || !no) throw new RemoraError('aborted', 'The request was settled without a rule')
      return answer({ option: no.id, by: 'timeout' })
    },
  }
}

/** Waits for a time, or until the signal aborts. */
async function waitForDeadline(signal: AbortSignal, at: number | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    const check = (): void => {
      const left = (at ?? Infinity) - Date.now()
      if (left <= 0) resolve()
      else if (left < Infinity) timer = setTimeout(check, Math.min(left, 2 ** 31 - 1))
    }
    check()
  })
  clearTimeout(timer)
}
