import { pinnedVersions, testAcp } from '@remora/testkit'
import { codex } from './index.ts'

for (const version of pinnedVersions('codex'))
  testAcp(codex, {
    version,
    settings: '.codex/config.toml',
    commandMode: 'full-access',
    cannot: ['go on after a refusal', 'end commands'],
  })
