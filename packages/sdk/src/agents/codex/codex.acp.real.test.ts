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
    // The sandbox of the other modes is not available on every machine.
    commandMode: 'agent-full-access',
  })

// This wrapper has a built-in Codex.
testAcp(codex, {
  ...options,
  version: pinnedVersions('codex').at(-1)!,
  wrapper: '@zed-industries/codex-acp',
  authMethod: 'codex-api-key',
  commandMode: 'full-access',
  // Only `data.message` of its errors has the reason of a failed turn.
  cannot: ['usage', 'always', 'fork', 'go on after a refusal'],
})
