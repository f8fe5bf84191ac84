import { agentNames } from '../detection/agent-names.ts'
import type { Option } from '../command/verb.ts'

/**
 * The option that names an agent. It has no fixed choices, since `gemini-cli` means gemini, and it may stand there
 * several times, so that whoever takes one only can refuse the second.
 */
export const agentOption = {
  short: 'a',
  value: 'agent',
  many: true,
  description: `Only this agent: ${agentNames.join(', ')}`,
} as const satisfies Option
