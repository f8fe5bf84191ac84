import { homedir } from 'node:os'
import { main } from './main.ts'

// `remora … | head` closes the pipe early; that is the reader's good right.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  terminal: process.stdout.isTTY,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
