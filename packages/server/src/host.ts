// The process that holds one ACP agent, so that it outlives the server: node host.js <spec file>
import { runHost } from './host/run-host.ts'

const [, , file] = process.argv
if (file === undefined) {
  process.stderr.write('usage: host <spec file>\n')
  process.exit(2)
}
// Whatever a part of it still waits for: what had to be ended has been.
process.exit(await runHost(file))
