import { pinnedVersions, testAgent } from '@remora/testkit'
import { gemini } from './index.ts'

testAgent(gemini, { versions: pinnedVersions('gemini'), writeTool: 'write_file' })
