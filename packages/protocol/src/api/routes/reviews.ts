import { z } from 'zod'
import { Command } from '../../model/command.ts'
import { Instruction, Review, ReviewMark, ReviewRequest, SendBack } from '../review.ts'
import { SessionParams, defineRoutes } from '../route.ts'

const params = z.object({ id: z.string().min(1).max(100) })
const title = z.string().trim().min(1).max(100)
const text = z.string().min(1).max(20_000)
const ReviewList = z.object({ reviews: z.array(ReviewMark) })

/** Routes of reviews. */
export const reviewsApi = defineRoutes({
  startReview: {
    method: 'post',
    path: '/api/reviews',
    summary: "Start a review of one agent's work by other agents, which only read",
    access: 'member',
    body: ReviewRequest,
    response: Review,
  },
  listReviews: {
    method: 'get',
    path: '/api/reviews',
    summary: 'List reviews, newest first',
    access: 'viewer',
    response: ReviewList,
  },
  getReview: {
    method: 'get',
    path: '/api/reviews/:id',
    summary: 'Get a review with its findings so far',
    access: 'viewer',
    params,
    response: Review,
  },
  cancelReview: {
    method: 'post',
    path: '/api/reviews/:id/cancel',
    summary: 'Cancel a review and keep its findings',
    access: 'member',
    params,
    response: Review,
  },
  removeReview: {
    method: 'delete',
    path: '/api/reviews/:id',
    summary: "Delete a review; its reviewers' sessions stay hidden",
    access: 'member',
    params,
  },
  sendBackReview: {
    method: 'post',
    path: '/api/reviews/:id/send-back',
    summary: 'Send findings to the reviewed session as a prompt',
    access: 'member',
    params,
    body: SendBack,
    response: z.object({ command: Command }),
  },
  listSessionReviews: {
    method: 'get',
    path: '/api/sessions/:agent/:session/reviews',
    summary: 'List reviews of a session',
    access: 'viewer',
    params: SessionParams,
    response: ReviewList,
  },
  listInstructions: {
    method: 'get',
    path: '/api/instructions',
    summary: 'List saved review instructions',
    access: 'viewer',
    response: z.object({ instructions: z.array(Instruction) }),
  },
  addInstruction: {
    method: 'post',
    path: '/api/instructions',
    summary: 'Save a review instruction',
    access: 'member',
    body: z.strictObject({ title, text }),
    response: Instruction,
  },
  updateInstruction: {
    method: 'patch',
    path: '/api/instructions/:id',
    summary: 'Change a review instruction',
    access: 'member',
    params,
    body: z.strictObject({ title: title.optional(), text: text.optional() }),
    response: Instruction,
  },
  removeInstruction: {
    method: 'delete',
    path: '/api/instructions/:id',
    summary: 'Delete a review instruction',
    access: 'member',
    params,
  },
})
