import { codex } from '../../../sdk/src/agents/codex/index.ts'
import { testLive } from './live-contract.test-data.ts'

// Codex starts fastest. `npm run matrix` tests everything with every agent.
testLive(codex, { driver: 'pty', core: true })
