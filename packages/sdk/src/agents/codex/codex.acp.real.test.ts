import { pinnedVersions, testAcp } from '@remora/testkit'
import { codex } from './index.ts'

const options = { settings: '.codex/config.toml' }

for (const version of pinnedVersions('codex'))
  testAcp(codex, {
    ...options,
    version,
    wrapper: '@agentclientprotocol/codex-acp',
    authMethod: 'api-key',
    always: 'file',
    cannot: ['go on after a refusal'],
    // The sandbox of the other modes does not work everywhere.
    commandMode: 'agent-full-access',
  })

// Its Codex is built in.
testAcp(codex, {
  ...options,
  version: pinnedVersions('codex').at(-1)!,
  wrapper: '@zed-industries/codex-acp',
  authMethod: 'codex-api-key',
  commandMode: 'full-access',
  // Why a turn failed stands in `data.message` of its errors alone.
  cannot: ['usage', 'always', 'fork', 'go on after a refusal'],
})
