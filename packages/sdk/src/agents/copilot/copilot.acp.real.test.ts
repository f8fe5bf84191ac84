import { testAcp } from '@remora/testkit'
import { copilot } from './index.ts'

testAcp(copilot)
