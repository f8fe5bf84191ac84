import { testJoined } from '@remora/testkit'
import { opencode } from './index.ts'

testJoined(opencode)
