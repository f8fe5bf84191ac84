import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'

/** Validates values against a schema whose root may not be an object. */
export interface Fitting {
  readonly schema: z.ZodType
  /** The schema for the model: always an object, unless the schema accepts any value. */
  readonly json: Readonly<Record<string, unknown>>
  /** The field that wraps an array or a primitive, because models and tools pass only objects reliably. */
  readonly key?: 'items' | 'value'
}

export type Fit = { readonly value: unknown } | { readonly problem: string }

/** Prepares a schema. @example fittingFor(z.array(z.string()), 'option output').key // 'items' */
export function fittingFor(schema: z.ZodType, where: string): Fitting {
  const json = toJsonSchema(schema, where)
  if (json['type'] === 'object' || takesAnything(json)) return { schema, json }
  const key = json['type'] === 'array' ? 'items' : 'value'
  // Wrap before the conversion to JSON, so that references to the root stay valid.
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
    // A transform of the caller has thrown, or the value is nested too deeply.
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
    // The model writes the input of the schema, in which fields with a default are optional.
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
    return json
  } catch (cause) {
    throw new RemoraError(
      'usage',
      `${where}: the schema cannot be described to a model: ${(cause as Error).message}`,
      {
        hint: 'Use only what JSON has: objects, lists, texts, numbers, booleans and null.',
        cause,
      },
    )
  }
}

/** Whether a JSON schema accepts any value. @example takesAnything({}) // true */
export function takesAnything(json: Readonly<Record<string, unknown>>): boolean {
  const limits = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref']
  return limits.every((limit) => json[limit] === undefined)
}
