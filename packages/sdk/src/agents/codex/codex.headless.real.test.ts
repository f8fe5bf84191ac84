import { testHeadless } from '@remora/testkit'
import { codex } from './index.ts'

testHeadless(codex)
