import { type Agent, type DetectPlace, type Detected, type Problem, findWrapper } from '@remora/sdk'

/** The program that speaks ACP for an agent, as `agents` and `doctor` tell it. */
export interface WrapperFinding {
  readonly name: string
  readonly package: string
  readonly path: string | null
  readonly version: string | null
  /** The agent behind it: the user's own, or one that it has built in. */
  readonly drives: { readonly own: boolean; readonly version: string | null } | null
  /** The command that installs it. */
  readonly install: string
  /** Why a better wrapper is not used, and how to get it. */
  readonly advice: string | null
}

/** Looks for the wrapper of an agent. That it is missing is no problem: the other ways in need none. */
export async function surveyWrapper(
  agent: Agent,
  own: Detected,
  place: DetectPlace & Required<Pick<DetectPlace, 'env'>>,
): Promise<{ finding: WrapperFinding; problems: readonly Problem[] } | undefined> {
  const found = await findWrapper(agent, place)
  if (!found) return undefined
  const { path, version, wrapper } = found
  const mine = own.path === undefined ? undefined : { path: own.path, version: own.version }
  const drives = path === undefined ? undefined : await wrapper.drives({ path, version }, mine, place.env)
  return {
    finding: {
      name: wrapper.command,
      package: wrapper.package,
      path: path ?? null,
      version: version ?? null,
      drives: drives ? { own: drives.own, version: drives.version ?? null } : null,
      install: wrapper.install,
      advice: found.advice ?? null,
    },
    problems: found.problems.filter(({ code }) => code !== 'agent_missing'),
  }
}
