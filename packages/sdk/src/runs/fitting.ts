import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'

/** How values are held against a schema that may want something else than an object. */
export interface Fitting {
  readonly schema: z.ZodType
  /** What a model is shown: always an object, unless the schema takes anything. */
  readonly json: Readonly<Record<string, unknown>>
  /** The field that a list or a plain value is put into, since models and tools only pass objects reliably. */
  readonly key?: 'items' | 'value'
}

export type Fit = { readonly value: unknown } | { readonly problem: string }

/** Prepares a schema. @example fittingFor(z.array(z.string()), 'option output').key // 'items' */
export function fittingFor(schema: z.ZodType, where: string): Fitting {
  const json = toJsonSchema(schema, where)
  if (json['type'] === 'object' || takesAnything(json)) return { schema, json }
  const key = json['type'] === 'array' ? 'items' : 'value'
  // Wrapped before it is turned into JSON: a schema that refers to its own root must still find it.
  return { schema, key, json: toJsonSchema(z.object({ [key]: schema }), where) }
}

/** The value as the schema has it, whether or not it was wrapped. Never throws. @example fit(fitting, { items: ['a'] }) */
export function fit({ schema, key }: Fitting, value: unknown): Fit {
  const plain = check(schema, value)
  if ('value' in plain || key === undefined || !isWrapped(value, key)) return plain
  return check(schema, value[key])
}

function check(schema: z.ZodType, value: unknown): Fit {
  try {
    const checked = schema.safeParse(value)
    return checked.success ? { value: checked.data } : { problem: z.prettifyError(checked.error) }
  } catch (error) {
    // A transform of the caller threw, or the value is nested too deeply.
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function isWrapped<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const keys = Object.keys(value)
  return keys.length === 1 && keys[0] === key
}

function toJsonSchema(schema: z.ZodType, where: string): Record<string, unknown> {
  try {
    // What the model writes is the input of the schema: fields with a default may be left out.
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
    return json
  } catch (cause) {
    throw new RemoraError(
      'usage',
      `${where}: the schema cannot be told to a model: ${(cause as Error).message}`,
      {
        hint: 'Use only what JSON has: objects, lists, texts, numbers, booleans and null.',
        cause,
      },
    )
  }
}

/** Whether a JSON schema sets no limits at its root. @example takesAnything({}) // true */
export function takesAnything(json: Readonly<Record<string, unknown>>): boolean {
  const limits = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref']
  return limits.every((limit) => json[limit] === undefined)
}
