import { testTranscripts } from '@remora/testkit'
import { kimi } from './index.ts'

testTranscripts(kimi)
