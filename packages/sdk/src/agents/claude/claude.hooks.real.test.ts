import { testInstalledHooks } from '../installed-hooks.test-data.ts'
import { claude } from './index.ts'

testInstalledHooks(claude)
