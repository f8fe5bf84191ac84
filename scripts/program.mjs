// Bundles the compiled `remora` command: a part of `npm run build`.
import { bundleProgram } from './lib/program.mjs'

await bundleProgram()
