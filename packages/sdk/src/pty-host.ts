// The process that owns the pseudo-terminal of one agent and outlives the server: node pty-host.js < spec
import { runPtyHost } from './pty/run-pty-host.ts'

// Exits even if a part still waits: the agent has ended.
process.exit(await runPtyHost(process.stdin))
