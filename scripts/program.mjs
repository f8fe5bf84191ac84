// Bundles the `remora` command of what was compiled: a part of `npm run build`.
import { bundleProgram } from './lib/program.mjs'

await bundleProgram()
