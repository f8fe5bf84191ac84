import { z } from 'zod'
import { LiveInfo } from '../live.ts'

/** How far the demo is: nobody wants it yet, its agent is installed, it starts, it goes on, or it could not. */
export const Demo = z.object({
  state: z.enum(['none', 'installing', 'starting', 'ready', 'failed']),
  /** How long this step has taken so far, and how long it usually takes. */
  seconds: z.number().optional(),
  usualSeconds: z.number().optional(),
  /** What is installed once, in megabytes. */
  megabytes: z.number().optional(),
  live: LiveInfo.optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
})
export type Demo = z.infer<typeof Demo>
