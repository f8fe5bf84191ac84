import { testLive } from '../../../../server/src/live/live-contract.test-data.ts'
import { opencode } from './index.ts'

testLive(opencode)
