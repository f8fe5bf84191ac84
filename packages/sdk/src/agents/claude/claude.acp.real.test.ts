import { pinnedVersions, testAcp } from '@remora/testkit'
import { claude } from './index.ts'

const options = { settings: '.claude/settings.json' }

for (const version of pinnedVersions('claude'))
  testAcp(claude, {
    ...options,
    version,
    wrapper: '@agentclientprotocol/claude-agent-acp',
    always: 'edit',
  })

testAcp(claude, {
  ...options,
  version: pinnedVersions('claude').at(-1)!,
  wrapper: '@zed-industries/claude-code-acp',
  authMethod: 'claude-login',
  cannot: ['usage', 'go on after a refusal'],
})
