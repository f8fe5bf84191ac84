import { pinnedVersions, testHeadless } from '@remora/testkit'
import { claude } from './index.ts'

for (const version of pinnedVersions('claude')) testHeadless(claude, { version })
