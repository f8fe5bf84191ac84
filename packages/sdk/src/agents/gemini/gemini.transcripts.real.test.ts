import { testTranscripts } from '@remora/testkit'
import { gemini } from './index.ts'

testTranscripts(gemini)
