import { testHeadless } from '@remora/testkit'
import { gemini } from './index.ts'

testHeadless(gemini, { version: '0.34.0' })
