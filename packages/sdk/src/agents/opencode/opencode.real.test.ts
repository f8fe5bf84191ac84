import { testAgent } from '@remora/testkit'
import { opencode } from './index.ts'

testAgent(opencode)
