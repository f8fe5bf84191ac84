// The agents of this package. An agent is added here and nowhere else.
import type { Agent } from '../contract/agent.ts'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { copilot } from './copilot/index.ts'
import { gemini } from './gemini/index.ts'
import { kimi } from './kimi/index.ts'
import { kiro } from './kiro/index.ts'
import { opencode } from './opencode/index.ts'
import { pi } from './pi/index.ts'
import { qwen } from './qwen/index.ts'

export { claude, codex, copilot, gemini, kimi, kiro, opencode, pi, qwen }

/** The agents of this package, in the order of lists. @example builtInAgents.map(({ id }) => id) */
export const builtInAgents: readonly Agent[] = [
  gemini,
  claude,
  codex,
  opencode,
  qwen,
  copilot,
  kimi,
  pi,
  kiro,
]
