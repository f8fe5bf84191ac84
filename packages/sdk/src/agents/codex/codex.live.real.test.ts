import { testLive } from '../../../../server/src/live/live-contract.test-data.ts'
import { codex } from './index.ts'

testLive(codex)
