import { testAcp } from '@remora/testkit'
import { gemini } from './index.ts'

testAcp(gemini, {
  version: '0.27.4',
  settings: '.gemini/settings.json',
  authMethod: 'gemini-api-key',
  core: true,
  // Why a turn failed stands in `data.error` of its errors alone.
  cannot: ['usage', 'modes', 'models', 'load'],
})
