import { testJoined } from '@remora/testkit'
import { kimi } from './index.ts'

testJoined(kimi)
