import { z } from 'zod'

const name = z.string().min(1).max(500)

/** The severities of findings, the most serious first. */
export const severities = ['critical', 'major', 'minor', 'note'] as const
/** How serious a finding is. */
export const Severity = z.enum(severities)
export type Severity = z.infer<typeof Severity>

/** One problem that a reviewer found. */
export const Finding = z.object({
  /** The path in the reviewed changes; empty for a finding that concerns no file. */
  file: z.string().max(1_000),
  line: z.number().int().positive().nullish(),
  severity: Severity,
  text: z.string().min(1).max(4_000),
  suggestion: z.string().max(8_000).nullish(),
})
export type Finding = z.infer<typeof Finding>

/** A location that a reviewer checked and found correct. */
export const Fine = z.object({
  file: z.string().max(1_000),
  line: z.number().int().positive().nullish(),
  text: z.string().min(1).max(2_000),
})
export type Fine = z.infer<typeof Fine>

/** The verdicts of a reviewer. */
export const verdicts = ['approve', 'changes', 'unsure'] as const

/** The answer of a reviewer. */
export const Opinion = z.object({
  verdict: z.enum(verdicts),
  summary: z.string().max(4_000),
  findings: z.array(Finding).max(200),
  fine: z.array(Fine).max(200).nullish(),
})
export type Opinion = z.infer<typeof Opinion>

/** The changes to review. */
export const What = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('messages'), ids: z.array(name).min(1).max(100) }),
  /** The turn of this message; the last turn if absent. */
  z.strictObject({ kind: z.literal('turn'), message: name.optional() }),
  z.strictObject({ kind: z.literal('diff'), text: z.string().min(1).max(2_000_000) }),
  /** The changes that git reports for the session's folder. */
  z.strictObject({ kind: z.literal('changes'), since: z.enum(['start', 'head']).default('start') }),
])
export type What = z.infer<typeof What>

const instruction = z.string().min(1).max(20_000)

/** The request that starts a review. */
export const ReviewRequest = z.strictObject({
  parent: z.strictObject({ agent: name, session: name }),
  what: What,
  reviewers: z
    .array(
      z.strictObject({
        agent: name,
        model: z.string().min(1).max(200).optional(),
        /** Instructions as text, or the id of saved ones. */
        instruction: instruction.optional(),
        saved: name.optional(),
      }),
    )
    .min(1)
    .max(6),
  /** The instructions for all reviewers. */
  instruction: instruction.optional(),
  /** Whether agents may run in a folder that the user has not trusted. */
  trust: z.boolean().optional(),
  timeoutMs: z.number().int().min(1_000).max(3_600_000).optional(),
  /** The limit of input and output tokens for each reviewer. A reviewer that exceeds it is stopped. */
  maxTokens: z.number().int().positive().optional(),
})
export type ReviewRequest = z.infer<typeof ReviewRequest>

/** The state of one reviewer. */
export const ReviewerState = z.enum(['queued', 'running', 'done', 'failed', 'cancelled'])

/** One reviewing agent, with its progress and its answer. */
export const Reviewer = z.object({
  number: z.number(),
  agent: z.string(),
  model: z.string().optional(),
  state: ReviewerState,
  /** The session in which it reviews. */
  session: z.string().optional(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  toolCalls: z.number(),
  tokens: z.number().optional(),
  costUsd: z.number().optional(),
  /** Its current activity or text. */
  doing: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
  opinion: Opinion.optional(),
})
export type Reviewer = z.infer<typeof Reviewer>

/** One problem, merged from all reviewers. */
export const Group = z.object({
  id: z.string(),
  file: z.string(),
  line: z.number().optional(),
  /** The highest severity that a reviewer assigned. */
  severity: Severity,
  text: z.string(),
  suggestion: z.string().optional(),
  standing: z.enum(['agreed', 'disputed', 'single']),
  /** From 0 to 1: the share of reviewers that agree, minus those that disagree. */
  score: z.number(),
  by: z.array(Finding.extend({ reviewer: z.number() })),
  against: z.array(Fine.extend({ reviewer: z.number() })),
})
export type Group = z.infer<typeof Group>

/** A review of a session by one or more reviewers. */
export const Review = z.object({
  id: z.string(),
  parent: z.object({ agent: z.string(), session: z.string() }),
  kind: z.enum(['messages', 'turn', 'diff', 'changes']),
  /** The message of the parent session after which the timeline shows the review. */
  anchor: z.string().optional(),
  title: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled', 'interrupted']),
  at: z.number(),
  endedAt: z.number().optional(),
  instruction: z.string().optional(),
  /** The size of the reviewed changes, and the size of the omitted part. */
  material: z.object({ characters: z.number(), omitted: z.number() }),
  reviewers: z.array(Reviewer),
  groups: z.array(Group),
  /** From 0 to 1, if at least two reviewers have answered. */
  agreement: z.number().optional(),
  verdict: z.enum([...verdicts, 'disputed']).optional(),
  sentBack: z.array(z.object({ at: z.number(), command: z.string(), groups: z.array(z.string()) })),
})
export type Review = z.infer<typeof Review>

/** Saved instructions for reviewers. */
export const Instruction = z.object({ id: z.string(), title: z.string(), text: z.string(), at: z.number() })
export type Instruction = z.infer<typeof Instruction>

/** Selects the findings to send to the reviewed session. */
export const SendBack = z.strictObject({
  /** The findings to send; all if absent. */
  groups: z.array(z.string().max(20)).max(500).optional(),
  note: z.string().max(20_000).optional(),
})
export type SendBack = z.infer<typeof SendBack>

/** A review as the timeline of its session shows it. */
export const ReviewMark = Review.pick({
  id: true,
  parent: true,
  kind: true,
  anchor: true,
  title: true,
  state: true,
  at: true,
  endedAt: true,
  verdict: true,
  agreement: true,
  sentBack: true,
}).extend({
  reviewers: z.array(z.object({ agent: z.string(), model: z.string().optional(), state: z.string() })),
  findings: z.object({ agreed: z.number(), disputed: z.number(), single: z.number() }),
})
export type ReviewMark = z.infer<typeof ReviewMark>
