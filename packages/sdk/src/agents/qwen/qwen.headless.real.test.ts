import { testHeadless } from '@remora/testkit'
import { qwen } from './index.ts'

testHeadless(qwen)
