import type { AcpPart } from '../../agent.ts'
import { atLeast } from '../../version.ts'
import { env } from './arguments.ts'
import { since } from './versions.ts'

export const acp: AcpPart = {
  invocation(version) {
    return { args: [atLeast(version, since.acp) ? '--acp' : '--experimental-acp'], env }
  },
}
