import { testHeadless } from '@remora/testkit'
import { opencode } from './index.ts'

testHeadless(opencode)
