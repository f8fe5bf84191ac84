import { testAcp } from '@remora/testkit'
import { gemini } from './index.ts'

testAcp(gemini)
