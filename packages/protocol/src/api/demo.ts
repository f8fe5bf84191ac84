import { z } from 'zod'
import { LiveInfo } from '../model/live.ts'

/** The state of the demo: not requested, installing its agent, starting, running, or failed. */
export const Demo = z.object({
  state: z.enum(['none', 'installing', 'starting', 'ready', 'failed']),
  /** How long this step has taken so far, and how long it usually takes. */
  seconds: z.number().optional(),
  usualSeconds: z.number().optional(),
  /** The size of the download, in megabytes. */
  megabytes: z.number().optional(),
  live: LiveInfo.optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
})
export type Demo = z.infer<typeof Demo>
