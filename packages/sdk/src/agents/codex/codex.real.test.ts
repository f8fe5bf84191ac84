import { pinnedVersions, testAgent } from '@remora/testkit'
import { codex } from './index.ts'

testAgent(codex, { versions: pinnedVersions('codex'), writeTool: 'exec_command' })
