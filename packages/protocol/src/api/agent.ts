import { z } from 'zod'
import { Support } from '../model/support.ts'
import { ModeInfo } from '../model/live.ts'

/** A problem that `remora doctor` found for an agent. */
export const AgentProblem = z.object({ code: z.string(), message: z.string(), hint: z.string() })

/** The color and icon of an agent: the path of an SVG image in a box of 24 × 24, filled unless it has a stroke. */
export const AgentBrand = z.object({
  hue: z.object({ light: z.string(), dark: z.string() }),
  icon: z.object({ path: z.string(), stroke: z.number().optional() }),
})

/** An agent on this machine: whether it is installed, and its capabilities. */
export const AgentInfo = z.object({
  id: z.string(),
  title: z.string(),
  /** The short name for lists and headings; servers before 0.2 send only the title. */
  name: z.string().optional(),
  /** Without a brand, the app uses a neutral one. */
  brand: AgentBrand.optional(),
  /** How a prompt mentions a path with spaces; in double quotes by default. */
  mention: z.enum(['quotes', 'backslashes']).optional(),
  installed: z.boolean(),
  path: z.string().optional(),
  version: z.string().optional(),
  problems: z.array(AgentProblem),
  channels: z.array(z.string()),
  models: z.array(z.object({ id: z.string(), name: z.string(), aliases: z.array(z.string()).optional() })),
  /** The names of the main modes, for clients of version 0.1; see `permissionModes`. */
  modes: z.array(z.string()),
  permissionModes: z.array(ModeInfo),
  modeSwitch: z.enum(['cycle', 'toggle', 'none']),
  effort: z.array(z.string()),
  features: z.record(z.string(), z.boolean()),
  /** How far the installed version is known to work, by channel. */
  support: Support.optional(),
})
export type AgentInfo = z.infer<typeof AgentInfo>
