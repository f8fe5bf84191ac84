import { testAcp } from '@remora/testkit'
import { codex } from './index.ts'

testAcp(codex)
