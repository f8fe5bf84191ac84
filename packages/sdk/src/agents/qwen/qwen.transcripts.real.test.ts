import { testTranscripts } from '@remora/testkit'
import { qwen } from './index.ts'

testTranscripts(qwen)
