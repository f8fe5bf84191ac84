import type { AcpPart } from '../../agent.ts'
import { toClaude } from './tools.ts'

export const acp: AcpPart = {
  invocation: () => ({ args: ['acp'] }),
  modes: { default: 'build', plan: 'plan' },
  toClaude,
}
