import type { Mode } from '../../agent.ts'

/** The arguments that headless runs and terminals share. Claude's mode names are ours. */
export function sharedArguments(request: { mode?: Mode; model?: string; resume?: string }): string[] {
  const args: string[] = []
  if (request.mode !== undefined) args.push('--permission-mode', request.mode)
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume === 'latest') args.push('--continue')
  else if (request.resume !== undefined) args.push('--resume', request.resume)
  return args
}
