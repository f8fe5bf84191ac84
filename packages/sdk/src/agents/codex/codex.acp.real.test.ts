import { pinnedVersions, testAcp } from '@remora/testkit'
import { codex } from './index.ts'

for (const version of pinnedVersions('codex'))
  testAcp(codex, {
    version,
    settings: '.codex/config.toml',
    authMethod: 'codex-api-key',
    // The sandbox of the other modes does not work everywhere.
    commandMode: 'full-access',
    // Why a turn failed stands in `data.message` of its errors alone.
    cannot: ['usage', 'always', 'fork', 'go on after a refusal'],
  })
