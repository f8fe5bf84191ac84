import { spawn } from 'node:child_process'
import { onStop } from './stop.mjs'

/** Starts processes that keep a core busy each. Returns the function that ends them. */
export function startLoad(count) {
  // They end by themselves when this process is killed: their standard input closes.
  const program = `process.stdin.on('end', () => process.exit()).resume()
    const spin = () => { const until = Date.now() + 50; while (Date.now() < until); setImmediate(spin) }
    spin()`
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] }),
  )
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  const forget = onStop(stop)
  return () => {
    forget()
    stop()
  }
}
