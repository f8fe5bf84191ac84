import { type Review, type ReviewMark, reviewsApi } from '@remora/protocol/api'
import type { Context } from '../../core/context.ts'
import { type Route, implement } from '../route.ts'
import type { Reviews } from '../../review/reviews.ts'

/** Reviews of one agent's work by others. */
export function createReviewRoutes(_: Context, reviews: Reviews): Route[] {
  const { instructions } = reviews
  return implement(reviewsApi, {
    startReview: ({ body }) => reviews.start(body),
    listReviews: async () => ({ reviews: (await reviews.list()).map(toMark) }),
    getReview: ({ params }) => reviews.get(params.id),
    cancelReview: ({ params }) => reviews.cancel(params.id),
    removeReview: ({ params }) => reviews.remove(params.id),
    sendBackReview: async ({ params, body, who }) => ({
      command: await reviews.sendBack(params.id, body, who?.client ?? 'local'),
    }),
    listSessionReviews: async ({ params }) => ({ reviews: (await reviews.list(params)).map(toMark) }),
    listInstructions: async () => ({ instructions: await instructions.list() }),
    addInstruction: ({ body }) => instructions.add(body),
    updateInstruction: ({ params, body }) => instructions.change(params.id, body),
    removeInstruction: ({ params }) => instructions.remove(params.id),
  })
}

function toMark(review: Review): ReviewMark {
  const { groups, reviewers, material: _, instruction: __, ...rest } = review
  const count = (standing: string) => groups.filter((group) => group.standing === standing).length
  return {
    ...rest,
    reviewers: reviewers.map(({ agent, model, state }) => ({ agent, state, ...(model ? { model } : {}) })),
    findings: { agreed: count('agreed'), disputed: count('disputed'), single: count('single') },
  }
}
