import { testAcp } from '@remora/testkit'
import { gemini } from './index.ts'

testAcp(gemini, {
  version: '0.27.4',
  settings: '.gemini/settings.json',
  authMethod: 'gemini-api-key',
  core: true,
  // Only `data.error` of its errors has the reason of a failed turn.
  cannot: ['usage', 'modes', 'models', 'load'],
})
