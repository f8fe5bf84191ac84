import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { HostSpec } from './host-files.ts'
import { PtyHost } from './host.ts'

/** Runs one agent on a pseudo-terminal until it has ended and its last client knows it. */
export async function runPtyHost(input: Readable): Promise<number> {
  const spec = JSON.parse(await text(input)) as HostSpec
  const host = new PtyHost(spec, () => process.stdout.write('ready\n'))
  // The process that started it does not read any more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => host.end())
  // The terminal that started it may close.
  process.on('SIGHUP', () => {})
  await host.run()
  return 0
}
