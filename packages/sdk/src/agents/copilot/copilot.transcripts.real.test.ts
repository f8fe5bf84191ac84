import { testTranscripts } from '@remora/testkit'
import { copilot } from './index.ts'

testTranscripts(copilot)
