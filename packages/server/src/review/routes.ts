import { Command } from '@remora/protocol'
import { Instruction, Review, ReviewMark, ReviewRequest, SendBack } from '@remora/protocol/api'
import { Hono } from 'hono'
import { z } from 'zod'
import { described, serve } from '../changes/serve.ts'
import type { Context } from '../context.ts'
import { SessionParams } from '../http/shapes.ts'
import type { Reviews } from './reviews.ts'

const params = z.object({ id: z.string().min(1).max(100) })
const title = z.string().trim().min(1).max(100)
const text = z.string().min(1).max(20_000)

export const reviewApi = {
  start: described(
    'post',
    'member',
    '/api/reviews',
    "Sends one agent's work to others, which only read, and gives how it stands",
    {
      body: ReviewRequest,
      response: Review,
    },
  ),
  list: described('get', 'viewer', '/api/reviews', 'All reviews, the latest first', {
    response: z.object({ reviews: z.array(ReviewMark) }),
  }),
  get: described(
    'get',
    'viewer',
    '/api/reviews/:id',
    'A review with its findings, also while it is under way',
    {
      params,
      response: Review,
    },
  ),
  cancel: described(
    'post',
    'member',
    '/api/reviews/:id/cancel',
    'Ends a review; what was found already stays',
    {
      params,
      response: Review,
    },
  ),
  remove: described(
    'delete',
    'member',
    '/api/reviews/:id',
    'Deletes a review; the sessions of its reviewers stay, hidden',
    { params },
  ),
  sendBack: described(
    'post',
    'member',
    '/api/reviews/:id/send-back',
    'Tells the session that was reviewed what was found, as a prompt that waits while it works',
    { params, body: SendBack, response: z.object({ command: Command }) },
  ),
  ofSession: described(
    'get',
    'viewer',
    '/api/sessions/:agent/:session/reviews',
    'The reviews of a session, as marks for its timeline',
    {
      params: SessionParams,
      response: z.object({ reviews: z.array(ReviewMark) }),
    },
  ),
  instructions: described('get', 'viewer', '/api/instructions', 'Saved instructions for reviewers', {
    response: z.object({ instructions: z.array(Instruction) }),
  }),
  addInstruction: described('post', 'member', '/api/instructions', 'Saves one', {
    body: z.strictObject({ title, text }),
    response: Instruction,
  }),
  changeInstruction: described('patch', 'member', '/api/instructions/:id', 'Changes one', {
    params,
    body: z.strictObject({ title: title.optional(), text: text.optional() }),
    response: Instruction,
  }),
  removeInstruction: described('delete', 'member', '/api/instructions/:id', 'Deletes one', { params }),
}

/**
 * Reviews of one agent's work by others.
 *
 * @example const mounts = [reviewRoutes(context, await Reviews.open(context))]
 */
export function reviewRoutes(_: Context, reviews: Reviews): Hono {
  const app = new Hono()
  const { instructions } = reviews

  serve(app, reviewApi.start, ({ body }) => reviews.start(body))
  serve(app, reviewApi.list, async () => ({ reviews: (await reviews.list()).map(markOf) }))
  serve(app, reviewApi.get, ({ params }) => reviews.get(params.id))
  serve(app, reviewApi.cancel, ({ params }) => reviews.cancel(params.id))
  serve(app, reviewApi.remove, ({ params }) => reviews.remove(params.id))
  serve(app, reviewApi.sendBack, async ({ params, body, who }) => ({
    command: await reviews.sendBack(params.id, body, who?.client ?? 'local'),
  }))
  serve(app, reviewApi.ofSession, async ({ params }) => ({
    reviews: (await reviews.list(params)).map(markOf),
  }))

  serve(app, reviewApi.instructions, async () => ({ instructions: await instructions.list() }))
  serve(app, reviewApi.addInstruction, ({ body }) => instructions.add(body))
  serve(app, reviewApi.changeInstruction, ({ params, body }) => instructions.change(params.id, body))
  serve(app, reviewApi.removeInstruction, ({ params }) => instructions.remove(params.id))

  return app
}

function markOf(review: Review): z.infer<typeof ReviewMark> {
  const { groups, reviewers, material: _, instruction: __, ...rest } = review
  const count = (standing: string) => groups.filter((group) => group.standing === standing).length
  return {
    ...rest,
    reviewers: reviewers.map(({ agent, model, state }) => ({ agent, state, ...(model ? { model } : {}) })),
    findings: { agreed: count('agreed'), disputed: count('disputed'), single: count('single') },
  }
}
