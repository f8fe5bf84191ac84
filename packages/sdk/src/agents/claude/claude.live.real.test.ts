import { testLive } from '../../../../server/src/live/live-contract.test-data.ts'
import { claude } from './index.ts'

testLive(claude)
