import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import type { AgentScreens } from './play.ts'

/** What is recorded of terminal interfaces, by agent. A new screen is a line in the agent's own file. */
export const screens: Readonly<Record<string, AgentScreens>> = { gemini, claude, codex, opencode }
