import { fitsText } from '../permissions/globs.ts'
import type { Permissions } from '../permissions/rules.ts'
import { toolServerName } from './tool-server-name.ts'
import type { ToolPolicy } from './tool-rules.ts'

/** Rules that name a tool of the program hold for it also where the agent does not ask: some never do. */
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
