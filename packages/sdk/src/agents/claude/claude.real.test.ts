import { testAgent } from '@remora/testkit'
import { claude } from './index.ts'

testAgent(claude)
