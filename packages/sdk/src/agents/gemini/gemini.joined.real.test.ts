import { testJoined } from '@remora/testkit'
import { gemini } from './index.ts'

testJoined(gemini)
