import { z } from 'zod'
import { Usage } from '../model/usage.ts'

const text = z.string()
const number = z.number()

/** The number of attempts under one name, and how many of them failed. */
export const NamedRate = z.object({ name: text, calls: number, failed: number })
export type NamedRate = z.infer<typeof NamedRate>

/** A value and how often it occurs. */
export const Counted = z.object({ name: text, count: number })
export type Counted = z.infer<typeof Counted>

/** A summary of failures. */
export const InsightsSummary = z.object({
  calls: number,
  failed: number,
  /** Calls that the pave hook refused and corrected. They do not count as failed. */
  corrected: number,
  sessions: number,
  first: number.optional(),
  last: number.optional(),
  /** The number of paths of these failures. */
  paths: number,
  classes: z.array(Counted),
  agents: z.array(NamedRate),
  /** Failures by folder, most first. */
  projects: z.array(NamedRate),
  /** The values of each filter, independent of the current filters. */
  choices: z.object({ agents: z.array(text), projects: z.array(text) }),
})
export type InsightsSummary = z.infer<typeof InsightsSummary>

/** Failures of one day, by class. */
export const TrendDay = z.object({
  day: text,
  calls: number,
  failed: number,
  classes: z.record(text, number),
})
export type TrendDay = z.infer<typeof TrendDay>

/** A desire path: a call that agents repeat although it fails. */
export const PathInfo = z.object({
  /** Stable as long as the name of the path does not change. */
  id: text,
  name: text,
  tool: text,
  class: text,
  rule: text,
  detail: text.optional(),
  details: z.array(text),
  score: number,
  count: number,
  sessions: number,
  agents: z.array(text),
  first: number,
  last: number,
  trend: z.enum(['new', 'up', 'steady', 'down', 'quiet']),
})
export type PathInfo = z.infer<typeof PathInfo>

/** One failure, with known secrets masked and long texts cut. */
export const PathExample = z.object({
  agent: text,
  session: text,
  at: number,
  tool: text,
  native: text,
  status: text,
  input: text,
  error: text,
  cwd: text.optional(),
})
export type PathExample = z.infer<typeof PathExample>

/** How an agent recovered from a failure. */
export const PathRecovery = z.object({
  agent: text,
  session: text,
  at: number,
  attempts: number,
  calls: number,
  durationMs: number,
  changes: z.array(z.object({ field: text, from: text.nullable(), to: text.nullable() })),
})
export type PathRecovery = z.infer<typeof PathRecovery>

/** A possible fix of a path: its kind, a text to paste, and where to paste it. */
export const PathFix = z.object({ kind: text, text, where: text, paste: text })
export type PathFix = z.infer<typeof PathFix>

/** Everything about one path that helps to fix it. */
export const PathDetail = PathInfo.extend({
  days: z.array(z.object({ day: text, count: number })),
  byAgent: z.array(Counted),
  byProject: z.array(Counted),
  inputs: z.array(Counted),
  errors: z.array(Counted),
  examples: z.array(PathExample),
  latestSessions: z.array(
    z.object({ agent: text, session: text, count: number, last: number, title: text.optional() }),
  ),
  recoveries: z.array(PathRecovery),
  /** How many failures of the latest sessions were recovered from. */
  recovered: number,
  fixes: z.array(PathFix),
  similar: z.array(PathInfo),
})
export type PathDetail = z.infer<typeof PathDetail>

/** The cost that the agent reported, or else the cost by list prices; absent if neither is known. */
export const Spending = z.object({
  name: text.optional(),
  usage: Usage,
  tokens: number,
  costUsd: number.optional(),
  /** Whether it includes tokens without a price. */
  unpriced: z.boolean(),
})
export type Spending = z.infer<typeof Spending>

/** Tokens and costs over a period. */
export const UsageReport = z.object({
  total: Spending,
  days: z.array(Spending.extend({ day: text, models: z.record(text, number) })),
  models: z.array(Spending),
  projects: z.array(Spending),
  agents: z.array(Spending),
  /** Models without a price. */
  unpriced: z.array(text),
  /** The date of the list prices, if a cost is based on them. */
  pricesAsOf: text.optional(),
})
export type UsageReport = z.infer<typeof UsageReport>

/** A tool call that ran, or was blocked, without a person's answer. Known secrets are masked and long texts cut. */
export const UnaskedCallInfo = z.object({
  agent: text,
  session: text,
  at: number,
  tool: text,
  /** The command, the files, or the input as JSON. */
  text: text,
  cwd: text.optional(),
  /** Why it ran. @example 'bypass' */
  reason: text,
  /** The rule, if one decided. */
  rule: text.optional(),
  /** What the agent answered, if the call was blocked. */
  refusal: text.optional(),
  level: text,
  /** What makes it risky, the worst first. */
  risks: z.array(z.object({ id: text, meaning: text })),
})
export type UnaskedCallInfo = z.infer<typeof UnaskedCallInfo>

/** What ran, and what was blocked, without a person's answer. */
export const UnaskedCalls = z.object({
  /** The riskiest first, then the latest. */
  ran: z.array(UnaskedCallInfo),
  blocked: z.array(UnaskedCallInfo),
  counts: z.object({ ran: number, blocked: number, answered: number }),
  levels: z.array(Counted),
  /** The number of calls that were looked at, if there are more in this time. */
  limitedTo: number.optional(),
})
export type UnaskedCalls = z.infer<typeof UnaskedCalls>
