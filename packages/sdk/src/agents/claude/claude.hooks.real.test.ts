import { pinnedVersions } from '@remora/testkit'
import { testInstalledHooks } from '../installed-hooks.test-data.ts'
import { claude } from './index.ts'

const events = ['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUseFailure', 'Stop']

for (const version of pinnedVersions('claude'))
  testInstalledHooks(claude, {
    version,
    event: 'PreToolUse',
    told: events,
    comments: false,
    scopes: ['user', 'project'],
  })
