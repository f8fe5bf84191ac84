import { testAcp } from '@remora/testkit'
import { qwen } from './index.ts'

testAcp(qwen)
