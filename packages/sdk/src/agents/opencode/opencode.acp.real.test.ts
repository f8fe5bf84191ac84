import { pinnedVersions, testAcp } from '@remora/testkit'
import { opencode } from './index.ts'

for (const version of pinnedVersions('opencode'))
  testAcp(opencode, {
    version,
    settings: '.config/opencode/opencode.json',
    authMethod: 'opencode-login',
    prompts: 10,
    keepsRetrying: true,
    cannot: ['go on after a refusal'],
  })
