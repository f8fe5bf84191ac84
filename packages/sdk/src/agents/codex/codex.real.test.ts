import { testAgent } from '@remora/testkit'
import { codex } from './index.ts'

testAgent(codex)
