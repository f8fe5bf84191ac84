import { z } from 'zod'

/** Shapes that several routes have. */
export const word = z.string().min(1).max(500)
export const SessionParams = z.object({ agent: word, session: word })
export const LiveParams = z.object({ id: word })

/** Numbers and switches of a query, which are text there. */
export const count = (most: number) => z.coerce.number().int().min(1).max(most).optional()
export const at = z.coerce.number().int().nonnegative().optional()
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()
