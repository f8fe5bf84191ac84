import { z } from 'zod'

/** A problem that `remora doctor` found for an agent. */
export const AgentProblem = z.object({ code: z.string(), message: z.string(), hint: z.string() })

/** An agent on this machine: whether it is installed, and its capabilities. */
export const AgentInfo = z.object({
  id: z.string(),
  title: z.string(),
  installed: z.boolean(),
  path: z.string().optional(),
  version: z.string().optional(),
  problems: z.array(AgentProblem),
  channels: z.array(z.string()),
  models: z.array(z.object({ id: z.string(), name: z.string(), aliases: z.array(z.string()).optional() })),
  modes: z.array(z.string()),
  modeSwitch: z.enum(['cycle', 'toggle', 'none']),
  effort: z.array(z.string()),
  features: z.record(z.string(), z.boolean()),
})
export type AgentInfo = z.infer<typeof AgentInfo>
