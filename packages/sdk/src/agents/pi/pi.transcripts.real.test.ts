import { testTranscripts } from '@remora/testkit'
import { pi } from './index.ts'

testTranscripts(pi)
