import { testJoined } from '@remora/testkit'
import { qwen } from './index.ts'

testJoined(qwen)
