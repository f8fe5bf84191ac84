import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onStop } from './stop.mjs'

/** Calls `use` with a new empty folder and removes the folder afterwards, whatever happens. */
export async function withTemporaryFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'remora-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const forget = onStop(remove)
  try {
    return await use(folder)
  } finally {
    forget()
    remove()
  }
}
