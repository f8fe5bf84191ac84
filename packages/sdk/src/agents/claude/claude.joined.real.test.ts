import { testJoined } from '@remora/testkit'
import { claude } from './index.ts'

testJoined(claude)
