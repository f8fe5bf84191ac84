import { testJoined } from '@remora/testkit'
import { copilot } from './index.ts'

testJoined(copilot)
