import { testAcp } from '@remora/testkit'
import { gemini } from './index.ts'

testAcp(gemini, {
  version: '0.61.0',
  settings: '.gemini/settings.json',
  authMethod: 'gemini-api-key',
  distrusts: true,
  writesThroughUs: true,
})
