import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { isWithin } from '../../files/paths.ts'

/** Finds what keeps OpenCode from loading our plugin. */
export async function hookObstacles(place: Place, files: readonly string[]): Promise<Problem[]> {
  const project = join(place.cwd, '.opencode')
  return [
    ...pureProblems(place),
    ...(isOn(place.env['OPENCODE_DISABLE_PROJECT_CONFIG']) && files.some((file) => isWithin(project, file))
      ? [
          {
            code: 'hooks_off',
            message: 'OpenCode loads nothing of projects: OPENCODE_DISABLE_PROJECT_CONFIG is set',
            hint: 'Unset OPENCODE_DISABLE_PROJECT_CONFIG to use hooks of a project.',
          },
        ]
      : []),
  ]
}

export function pureProblems({ env }: Place): Problem[] {
  const pure = env['OPENCODE_PURE']
  if (!isOn(pure)) return []
  return [
    {
      code: 'hooks_off',
      message: `OpenCode loads no plugins, and so no hooks: OPENCODE_PURE is ${pure}`,
      hint: 'Unset OPENCODE_PURE to use hooks.',
    },
  ]
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}
