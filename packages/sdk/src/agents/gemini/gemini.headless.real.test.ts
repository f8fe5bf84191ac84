import { testHeadless } from '@remora/testkit'
import { gemini } from './index.ts'

testHeadless(gemini)
