import type { Ledger } from '@remora/ledger'
import type { Io } from '../../command/io.ts'

/** A tool for reading and prompting other agents' sessions. */
export interface RemoraTool {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  /** Parameters by name. Others are refused. */
  readonly fields: Readonly<Record<string, Field>>
  run(input: Given, context: ToolContext): Promise<unknown>
}

export interface Field {
  readonly type: 'string' | 'number' | 'boolean'
  readonly description: string
  readonly required?: boolean
}

export type Given = Readonly<Record<string, string | number | boolean | undefined>>

export interface ToolContext {
  readonly io: Io
  readonly ledger: Ledger
  readonly signal: AbortSignal
}

/** The JSON schema of a tool's input. */
export function toJsonSchema({ fields }: RemoraTool) {
  return {
    type: 'object' as const,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { type, description }]) => [name, { type, description }]),
    ),
    required: Object.entries(fields).flatMap(([name, { required }]) => (required ? [name] : [])),
    additionalProperties: false,
  }
}

/** Validates the input of a tool call. The error message is for the model. */
export function checked({ name: tool, fields }: RemoraTool, given: Readonly<Record<string, unknown>>): Given {
  const input: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    // Gemini CLI adds this field to every tool and passes it on.
    if (!field && name === 'wait_for_previous') continue
    if (!field)
      throw new Error(`Unknown parameter "${name}" for ${tool}. Available: ${Object.keys(fields).join(', ')}`)
    if (value === undefined || value === null) continue
    if (typeof value !== field.type) throw new Error(`${tool}: "${name}" must be a ${field.type}`)
    input[name] = value as string | number | boolean
  }
  for (const [name, { required }] of Object.entries(fields))
    if (required && (input[name] === undefined || input[name] === ''))
      throw new Error(`${tool} needs "${name}"`)
  return input
}

/** @example word(input, 'agent') // 'gemini' */
export function word(input: Given, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads a number of at least one. @example amount(input, 'limit', 20, 200) */
export function amount(input: Given, name: string, usual: number, most: number): number {
  const value = input[name]
  return typeof value === 'number' && value > 0 ? Math.min(Math.ceil(value), most) : usual
}
