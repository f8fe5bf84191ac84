import { testHeadless } from '@remora/testkit'
import { claude } from './index.ts'

testHeadless(claude)
