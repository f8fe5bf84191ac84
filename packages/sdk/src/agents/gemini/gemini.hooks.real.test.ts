import { pinnedVersions } from '@remora/testkit'
import { testInstalledHooks } from '../installed-hooks.test-data.ts'
import { gemini } from './index.ts'

const told = ['SessionStart', 'SessionEnd', 'BeforeAgent', 'AfterAgent', 'BeforeTool', 'AfterTool']

const [newest, ...older] = pinnedVersions('gemini')

testInstalledHooks(gemini, {
  version: newest!,
  event: 'AfterTool',
  told,
  comments: true,
  scopes: ['user', 'project'],
})
for (const version of older) testInstalledHooks(gemini, { version, event: 'AfterTool', told, comments: true })
