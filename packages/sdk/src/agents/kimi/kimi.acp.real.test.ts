import { testAcp } from '@remora/testkit'
import { kimi } from './index.ts'

testAcp(kimi)
