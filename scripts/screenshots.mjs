// `npm run screenshots`: creates docs/screenshots from the current app.
import { join } from 'node:path'
import { root } from './lib/paths.mjs'
import { withApp } from './lib/with-app.mjs'

await withApp('make-screenshots.ts', [join(root, 'docs', 'screenshots')])
