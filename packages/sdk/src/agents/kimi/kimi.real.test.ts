import { testAgent } from '@remora/testkit'
import { kimi } from './index.ts'

testAgent(kimi)
