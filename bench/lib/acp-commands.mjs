// Two whole commands on the same fake agent, from start to end: acpx and ours.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { env, fakeAgent } from './acp-clients.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const acpx = at('../../testkit/clis/node_modules/acpx/dist/cli.js')
const print = at('./acp-print.mjs')

export const isAcpxInstalled = existsSync(acpx)

/** Each command resolves with its time in milliseconds and the number of chunks it printed. */
export const commands = {
  acpx: (folder, prompt) => {
    const agent = `"${process.execPath}" "${fakeAgent}"`
    const options = ['--agent', agent, '--cwd', folder, '--format', 'json', '--deny-all', '--timeout', '60']
    return timed([acpx, ...options, 'exec', prompt], folder)
  },
  ours: (folder, prompt) => timed([print, folder, prompt, process.execPath, fakeAgent], folder),
}

/** Prints to a file, because reading a pipe would add a busy process to two cores. */
async function timed(args, folder) {
  const file = join(folder, 'printed.jsonl')
  const output = openSync(file, 'w')
  try {
    const began = performance.now()
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', output, 'inherit'],
      env: { ...env, HOME: folder },
      timeout: 60_000,
    })
    const [code] = await once(child, 'exit')
    const ms = performance.now() - began
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}`)
    return { ms, chunks: readFileSync(file, 'utf8').split('of the many short pieces').length - 1 }
  } finally {
    closeSync(output)
  }
}
