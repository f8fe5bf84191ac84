import { testAgent } from '@remora/testkit'
import { copilot } from './index.ts'

testAgent(copilot)
