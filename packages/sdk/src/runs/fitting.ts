import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'

/** A schema prepared for a model, which passes only objects reliably. The root of the schema may be any type. */
export interface Fitting {
  readonly schema: z.ZodType
  /** The JSON schema for the model. Its root is an object, unless the schema accepts any value. */
  readonly json: Readonly<Record<string, unknown>>
  /** The field that wraps a value that is not an object. */
  readonly key?: 'items' | 'value'
}

export type Fit = { readonly value: unknown } | { readonly problem: string }

/** Prepares a schema. @example fittingFor(z.array(z.string()), 'option output').key // 'items' */
export function fittingFor(schema: z.ZodType, where: string): Fitting {
  const json = toJsonSchema(schema, where)
  if (json['type'] === 'object' || acceptsAnyValue(json)) return { schema, json }
  const key = json['type'] === 'array' ? 'items' : 'value'
  // Wrap before the conversion to JSON, so that references to the root stay valid.
  return { schema, key, json: toJsonSchema(z.object({ [key]: schema }), where) }
}

/** Validates a value, wrapped or not. Never throws. @example fit(fitting, { items: ['a'] }) */
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
    // The caller's transform threw, or the value is nested too deeply.
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
    // The model writes the schema's input, where fields with a default are optional.
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
    return json
  } catch (cause) {
    throw new RemoraError(
      'usage',
      `${where}: the schema cannot be described to a model: ${(cause as Error).message}`,
      {
        hint: 'Use only JSON types: objects, arrays, strings, numbers, booleans and null.',
        cause,
      },
    )
  }
}

/** Whether a JSON schema accepts any value. @example acceptsAnyValue({}) // true */
export function acceptsAnyValue(json: Readonly<Record<string, unknown>>): boolean {
  const limits = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref']
  return limits.every((limit) => json[limit] === undefined)
}
