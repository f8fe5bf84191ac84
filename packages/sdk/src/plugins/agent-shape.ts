import { z } from 'zod'
import { modeLikes } from '@remora/protocol/plain'

/** Something that is wrong with the definition of an agent. */
export interface AgentFault {
  /** The field. @example 'terminal.read' */
  readonly part: string
  readonly message: string
}

const text = z.string('must be a text').min(1, 'must not be empty')
const texts = z.array(text, 'must be a list of texts')
const fn = z.custom<() => unknown>((value) => typeof value === 'function', 'must be a function')
const optional = fn.optional()
// Colors and paths reach the app, so only plain ones are accepted.
const color = z.string().regex(/^#(?:[\da-f]{3}|[\da-f]{6})$/i, 'must be a color such as #3858d6')
const path = z
  .string()
  .max(8000)
  .regex(/^[\sMmLlHhVvCcSsQqTtAaZz\d.,e+-]+$/, 'must be the path of an SVG image')

/** The functions and fields that each part must have. Other fields are not checked. */
const AgentShape = z.looseObject({
  id: z.string().regex(/^[a-z][\da-z-]*$/, 'must have only lower-case letters, digits and hyphens'),
  title: text,
  name: text.optional(),
  aliases: texts.optional(),
  memoryFile: text.optional(),
  variables: texts.optional(),
  mention: z.enum(['quotes', 'backslashes']).optional(),
  modes: z
    .array(
      z.looseObject({ id: text, label: text, like: z.enum(modeLikes).optional(), aliases: texts.optional() }),
    )
    .optional(),
  brand: z
    .looseObject({
      hue: z.looseObject({ light: color, dark: color }),
      icon: z.looseObject({ path, stroke: z.number().positive().optional() }),
    })
    .optional(),
  detection: z.looseObject({ variable: text, command: text, install: text, folders: texts.optional() }),
  features: fn,
  headless: z.looseObject({ invocation: fn, prepare: optional, reader: optional }).optional(),
  acp: z.looseObject({ invocation: fn, toClaude: fn }).optional(),
  hooks: z
    .looseObject({
      events: texts,
      defaultEvents: texts,
      gates: texts,
      targets: fn,
      reader: optional,
      showsOutput: z.boolean().optional(),
    })
    .optional(),
  transcripts: z
    .looseObject({ root: fn, isSession: fn, format: fn, isOwnRecord: fn, resume: fn, reader: optional })
    .optional(),
  terminal: z
    .looseObject({
      invocation: fn,
      choosesSession: fn,
      read: fn,
      switchMode: fn,
      switchModel: fn,
      mention: fn,
      modeSwitch: z.enum(['cycle', 'toggle']),
      interrupt: texts,
      quit: text,
    })
    .optional(),
  startMode: optional,
  health: optional,
  getContextWindow: optional,
  tools: z.record(z.string(), z.looseObject({ claude: text, kind: text, readOnly: z.boolean() })).optional(),
})

const FeaturesShape = z.looseObject({
  ...Object.fromEntries(
    [
      'interrupt',
      'resume',
      'fork',
      'attach',
      'statusLine',
      'images',
      'streaming',
      'webSearch',
      'thinking',
      'slashCommands',
    ].map((name) => [name, z.boolean()]),
  ),
  models: z.array(z.looseObject({ id: text, name: text })),
  effortLevels: texts,
})

/** A screen state that surfaces can show. */
export const ScreenShape = z.looseObject({
  state: z.enum(['starting', 'idle', 'working', 'asking', 'error']),
  subject: z.string().optional(),
  text: z.string().optional(),
  mode: z.string().optional(),
  model: z.string().optional(),
  input: z.string().optional(),
  error: z.string().optional(),
  ask: z
    .looseObject({
      kind: z.string(),
      title: z.string(),
      options: z.array(z.looseObject({ id: z.string(), label: z.string(), keys: z.array(z.string()) })),
    })
    .optional(),
})

/** Problems lists of an agent. */
export const ProblemsShape = z.array(z.object({ code: z.string(), message: z.string(), hint: z.string() }))

/** Lists what is missing or has a wrong type, without calling any part but `features`. */
export function findShapeFaults(agent: unknown): AgentFault[] {
  const faults = listFaults(AgentShape, agent, '')
  if (faults.length > 0) return faults
  const { features, ...parts } = agent as { features: (version: undefined) => unknown } & Record<
    string,
    unknown
  >
  if (channelParts.every((part) => parts[part] === undefined))
    return [{ part: 'agent', message: `needs at least one part: ${channelParts.join(', ')}` }]
  try {
    return listFaults(FeaturesShape, features(undefined), 'features')
  } catch (error) {
    return [{ part: 'features', message: `throws: ${(error as Error).message}` }]
  }
}

const channelParts = ['headless', 'acp', 'hooks', 'transcripts', 'terminal']

/** The mismatches between a value and a schema. */
export function listFaults(schema: z.ZodType, value: unknown, part: string): AgentFault[] {
  const { error } = schema.safeParse(value)
  return (error?.issues ?? []).map((issue) => ({
    part: [...(part === '' ? [] : [part]), ...issue.path.map(String)].join('.') || 'agent',
    message: issue.message,
  }))
}
