import { testLive } from '../../../../server/src/live/live-contract.test-data.ts'
import { qwen } from './index.ts'

testLive(qwen)
