import { testAgent } from '@remora/testkit'
import { pi } from './index.ts'

testAgent(pi)
