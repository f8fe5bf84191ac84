// `npm run lighthouse`: performance, accessibility and best practices of the built app; below 95 it fails.
import { join } from 'node:path'
import { root } from './lib/paths.mjs'
import { withApp } from './lib/with-app.mjs'

const module = join(root, 'testkit', 'clis', 'node_modules', 'lighthouse', 'core', 'index.js')
await withApp('run-lighthouse.ts', [module])
