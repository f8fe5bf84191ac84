import type { Mode } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { modes } from './modes.ts'
import { title } from './profile.ts'

/** The arguments that all channels share. */
export function toSharedArguments(
  request: { mode?: Mode; model?: string; effort?: string; resume?: string; fork?: boolean },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode !== undefined) args.push(...requireMode({ title, modes }, request.mode, version).args)
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.effort !== undefined) args.push('--thinking', request.effort)
  if (request.resume !== undefined) {
    if (request.fork) args.push('--fork', request.resume)
    else if (request.resume === 'latest') args.push('--continue')
    else args.push('--session', request.resume)
  }
  return args
}
