import type { Mode } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { title } from './dialect.ts'
import { modes } from './modes.ts'

/**
 * Without the first one the CLI starts itself again in another process, which takes seconds. Without the second one it
 * does not wait for MCP servers, and the model does not know their tools at first.
 */
export const env = { QWEN_CODE_NO_RELAUNCH: 'true', QWEN_CODE_LEGACY_MCP_BLOCKING: '1' } as const

/** The arguments that all channels share. */
export function toSharedArguments(
  request: { mode?: Mode; model?: string; resume?: string },
  version: string | undefined,
): string[] {
  const args: string[] = []
  if (request.mode !== undefined)
    args.push('--approval-mode', requireMode({ title, modes }, request.mode, version).id)
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.resume === 'latest') args.push('--continue')
  else if (request.resume !== undefined) args.push('--resume', request.resume)
  return args
}
