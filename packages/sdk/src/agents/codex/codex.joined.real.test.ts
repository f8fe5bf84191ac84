import { testJoined } from '@remora/testkit'
import { codex } from './index.ts'

testJoined(codex)
