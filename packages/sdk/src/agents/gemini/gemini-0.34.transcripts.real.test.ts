import { testTranscripts } from '@remora/testkit'
import { gemini } from './index.ts'

testTranscripts(gemini, { version: '0.34.0' })
