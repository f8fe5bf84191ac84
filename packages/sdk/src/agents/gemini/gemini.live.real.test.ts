import { testLive } from '../../../../server/src/live/live-contract.test-data.ts'
import { gemini } from './index.ts'

testLive(gemini)
