import { testTranscripts } from '@remora/testkit'
import { opencode } from './index.ts'

testTranscripts(opencode)
