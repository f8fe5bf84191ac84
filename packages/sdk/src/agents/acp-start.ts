import type { AcpStart, Mode } from '../agent.ts'
import { unsupported } from '../unsupported.ts'

/**
 * Throws if a program is to be started with something for which it has no argument: sessions choose it themselves.
 *
 * @example onlyAtOpening('Claude Code', request, { model: false, modes: [] })
 */
export function onlyAtOpening(
  title: string,
  { mode, model }: AcpStart,
  can: { readonly model: boolean; readonly modes: readonly Mode[] },
): void {
  const hint = (name: string) => `Choose it for each session: open({ ${name} }).`
  if (mode !== undefined && !can.modes.includes(mode))
    throw unsupported(title, `the mode ${mode} from the start over ACP`, hint('mode'))
  if (model !== undefined && !can.model)
    throw unsupported(title, 'a model from the start over ACP', hint('model'))
}
