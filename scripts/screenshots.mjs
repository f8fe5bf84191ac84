// `npm run screenshots`: makes docs/screenshots from the app as it is.
import { join } from 'node:path'
import { root } from './lib/paths.mjs'
import { withApp } from './lib/with-app.mjs'

await withApp('make-screenshots.ts', [join(root, 'docs', 'screenshots')])
