import { testAgent } from '@remora/testkit'
import { gemini } from './index.ts'

testAgent(gemini)
