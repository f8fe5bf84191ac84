import { pinnedVersions, testAcp } from '@remora/testkit'
import { claude } from './index.ts'

for (const version of pinnedVersions('claude'))
  testAcp(claude, {
    version,
    settings: '.claude/settings.json',
    authMethod: 'claude-login',
    cannot: ['usage', 'go on after a refusal'],
  })
