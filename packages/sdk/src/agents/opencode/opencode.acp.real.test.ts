import { testAcp } from '@remora/testkit'
import { opencode } from './index.ts'

testAcp(opencode)
