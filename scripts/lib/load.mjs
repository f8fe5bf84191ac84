import { spawn } from 'node:child_process'
import { onStop } from './stop.mjs'

/** Starts processes that each keep one core busy. Returns a function that ends them. */
export function startLoad(count) {
  // They exit when this process is killed, because their standard input closes.
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
