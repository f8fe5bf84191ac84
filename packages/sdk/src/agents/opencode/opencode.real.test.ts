import { pinnedVersions, testAgent } from '@remora/testkit'
import { opencode } from './index.ts'

testAgent(opencode, { versions: pinnedVersions('opencode'), writeTool: 'write' })
