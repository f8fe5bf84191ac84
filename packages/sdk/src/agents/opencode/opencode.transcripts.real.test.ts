import { testTranscripts } from '@remora/testkit'
import { opencode } from './index.ts'

testTranscripts(opencode, { version: '1.18.33' })
