import { testAgent } from '@remora/testkit'
import { qwen } from './index.ts'

testAgent(qwen)
