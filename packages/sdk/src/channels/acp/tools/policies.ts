import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { ToolCall, ToolPolicy } from './tool-rules.ts'
import { fitsText } from '../permissions/globs.ts'
import type { Permissions } from '../permissions/rules.ts'
import { toolServerName } from './tool.ts'

/**
 * An existing file may be written only after an earlier call has read or written it.
 *
 * @example toolRules: { policies: [readBeforeWrite()] }
 */
export function readBeforeWrite(): ToolPolicy {
  return async (call, earlier, { cwd }) => {
    if (call.writes.length === 0) return undefined
    const seen = earlier.flatMap((each) => [...each.reads, ...each.writes])
    const known = new Set(await Promise.all(seen.map((path) => actual(cwd, path))))
    for (const path of call.writes) {
      if (!(await exists(resolve(cwd, path))) || known.has(await actual(cwd, path))) continue
      return `Read ${path} before you write it.`
    }
    return undefined
  }
}

/**
 * Each of these tools requires that all before it have succeeded once.
 *
 * @example toolRules: { policies: [inOrder('plan', 'build', 'publish')] }
 */
export function inOrder(...names: readonly string[]): ToolPolicy {
  if (new Set(names).size < Math.max(2, names.length)) {
    throw new RemoraError('usage', 'inOrder: two or more different tools are needed', {
      hint: "Name them in their order, such as inOrder('plan', 'build').",
    })
  }
  return (call, earlier) => {
    const missing = names
      .slice(0, Math.max(0, names.indexOf(call.name)))
      .filter((name) => !earlier.some((each) => each.name === name))
    return missing.length === 0 ? undefined : `Call ${missing.join(', then ')} before ${call.name}.`
  }
}

/**
 * Refuses every other tool.
 *
 * @example toolRules: { policies: [allowOnly('clock')] }
 */
export function allowOnly(...names: readonly string[]): ToolPolicy {
  const allowed = new Set(names)
  return ({ name }) =>
    allowed.has(name) ? undefined : `${name} is not allowed now. Allowed: ${names.join(', ') || 'none'}.`
}

/** The first reason against a call. A failing policy refuses, because its decision is unknown. */
export async function refusal(
  policies: readonly ToolPolicy[],
  call: ToolCall,
  earlier: readonly ToolCall[],
  cwd: string,
): Promise<string | undefined> {
  for (const policy of policies) {
    try {
      const reason = await policy(call, earlier, { cwd })
      if (reason !== undefined) return reason
    } catch (error) {
      return `A rule about ${call.name} failed: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return undefined
}

/** Resolves links, so that two names of one file are equal. */
async function actual(cwd: string, path: string): Promise<string> {
  const full = resolve(cwd, path)
  return await realpath(full).catch(() => full)
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    // A file that cannot be checked may exist.
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

/** Permission rules that name a host tool apply even if the agent does not ask; some never do. */
export function toPolicies(permissions: Permissions | undefined): ToolPolicy[] {
  if (permissions === undefined || typeof permissions === 'string') return []
  const rules = permissions.rules.filter(({ tool }) => tool !== undefined)
  if (rules.length === 0) return []
  return [
    ({ name }) => {
      const names = [name, `${toolServerName}_${name}`, `mcp__${toolServerName}__${name}`]
      const rule = rules.find(({ tool }) =>
        names.some((each) => fitsText(tool!.toLowerCase(), each.toLowerCase())),
      )
      return rule?.decide === 'deny' ? `A rule of the program refuses the tool ${name}.` : undefined
    },
  ]
}
