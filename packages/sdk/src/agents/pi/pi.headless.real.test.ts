import { testHeadless } from '@remora/testkit'
import { pi } from './index.ts'

testHeadless(pi)
