import { testHeadless } from '@remora/testkit'
import { kimi } from './index.ts'

testHeadless(kimi)
