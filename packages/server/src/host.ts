// The process that runs one ACP agent and outlives the server: node host.js <spec file>
import { runHost } from './host/run-host.ts'

const [, , file] = process.argv
if (file === undefined) {
  process.stderr.write('usage: host <spec file>\n')
  process.exit(2)
}
// Exits even if a part still waits: the agent has ended.
process.exit(await runHost(file))
