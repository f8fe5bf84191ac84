import { testInstalledHooks } from '../installed-hooks.test-data.ts'
import { qwen } from './index.ts'

testInstalledHooks(qwen)
