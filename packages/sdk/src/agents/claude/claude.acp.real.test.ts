import { testAcp } from '@remora/testkit'
import { claude } from './index.ts'

testAcp(claude)
