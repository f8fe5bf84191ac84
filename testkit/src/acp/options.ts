import type { AcpFacts } from '@remora/sdk'

/** What the agent's testkit says of one way to speak ACP, and the version to test. */
export interface AcpContractOptions extends AcpFacts {
  readonly version: string
}
