// Our counterpart of `acpx exec`: one prompt to one agent, and a line of JSON for every event.
// Usage: node acp-print.mjs <folder> <prompt> <program> [argument…]
import { connect } from '@remora/sdk/acp'

const [cwd, prompt, command, ...args] = process.argv.slice(2)
const connection = await connect({ command, args })
const session = await connection.open({ cwd })
for await (const event of session.prompt(prompt)) process.stdout.write(`${JSON.stringify(event)}\n`)
await connection.close()
