import { testHeadless } from '@remora/testkit'
import { copilot } from './index.ts'

testHeadless(copilot)
