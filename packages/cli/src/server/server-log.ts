import { type WriteStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '@remora/server'
import { logPath } from '../client/server-note.ts'
import type { Io } from '../command/io.ts'

const largest = 5_000_000

/** Opens the server log. A long file is rotated, and one previous file is kept. */
export async function openLog(io: Io): Promise<{ write: Log; close(): Promise<void> }> {
  const { createLineLog } = await import('@remora/server')
  const file = logPath(io)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size > largest) await rename(file, `${file}.1`)
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 })
  // A full disk must not crash the server.
  stream.on('error', () => {})
  return { write: createLineLog((line) => void stream.write(line)), close: () => ended(stream) }
}

function ended(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', () => resolve())
    stream.end()
    if (stream.destroyed) resolve()
  })
}
