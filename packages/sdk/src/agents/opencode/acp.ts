import type { AcpPart } from '../../agent.ts'

export const acp: AcpPart = { invocation: () => ({ args: ['acp'] }) }
