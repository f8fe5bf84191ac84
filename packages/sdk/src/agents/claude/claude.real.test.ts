import { pinnedVersions, testAgent } from '@remora/testkit'
import { claude } from './index.ts'

testAgent(claude, { versions: pinnedVersions('claude'), writeTool: 'Write' })
