import { RemoraError } from '@remora/protocol/plain'
import { type Fitting, fittingFor } from '../../../runs/fitting.ts'
import { type HostTool, structuredOutputName } from './tool.ts'

/** A host tool as offered to agents. */
export interface OfferedTool {
  readonly tool: HostTool
  readonly fitting: Fitting
  /** Its entry in `tools/list`. */
  readonly listed: {
    readonly name: string
    readonly description: string
    readonly inputSchema: { readonly type: 'object'; [field: string]: unknown }
    readonly annotations?: { readonly readOnlyHint: boolean }
  }
}

/** Checks tools and prepares their schemas, by name. @example offeredTools([clock]).get('clock') */
export function offeredTools(tools: readonly HostTool[]): Map<string, OfferedTool> {
  const offered = new Map<string, OfferedTool>()
  for (const tool of tools) {
    const { name, description, readOnly } = tool
    checkName(name, offered)
    const fitting = fittingFor(tool.input, `tool ${name}: input`)
    offered.set(name, {
      tool,
      fitting,
      listed: {
        name,
        description,
        inputSchema: { ...fitting.json, type: 'object' },
        ...(readOnly === undefined ? {} : { annotations: { readOnlyHint: readOnly } }),
      },
    })
  }
  return offered
}

/**
 * Removes the field that Gemini adds to every tool: it offers the model a field that orders its calls, and forwards it.
 * A tool with such a field of its own keeps it.
 */
export function ownInput(
  given: Readonly<Record<string, unknown>>,
  inputSchema: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const added = 'wait_for_previous'
  const properties = inputSchema['properties'] ?? {}
  if (!Object.hasOwn(given, added) || Object.hasOwn(properties, added)) return given
  const { [added]: _, ...own } = given
  return own
}

function checkName(name: string, offered: ReadonlyMap<string, unknown>): void {
  const fault = !/^[A-Za-z0-9_-]{1,48}$/.test(name)
    ? 'is not a name that every agent takes'
    : name === structuredOutputName
      ? 'is the name of a tool of ours'
      : offered.has(name)
        ? 'is there twice'
        : undefined
  if (fault === undefined) return
  throw new RemoraError('usage', `tools: "${name}" ${fault}`, {
    hint: 'Use up to 48 letters, digits, _ and -, a different name for each tool.',
  })
}
