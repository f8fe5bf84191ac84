import { findMode } from '@remora/protocol/plain'
import type { Mode } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { modes } from './modes.ts'

/** The arguments that headless runs and terminals share. */
export function sharedArguments(
  request: { mode?: Mode; model?: string; resume?: string },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode !== undefined)
    args.push(...requireMode({ title: 'OpenCode', modes }, request.mode, version).args)
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume === 'latest') args.push('--continue')
  else if (request.resume !== undefined) args.push('--session', request.resume)
  return args
}

export function modeVariables(mode: Mode | undefined): { env?: Readonly<Record<string, string>> } {
  const env = findMode(modes, mode)?.env
  return env ? { env } : {}
}
