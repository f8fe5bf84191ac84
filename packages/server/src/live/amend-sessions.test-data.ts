import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LiveFacts } from '@remora/sdk'
import type { Home } from '../../../../testkit/src/index.ts'

/** Merges fields into the session files of a home. */
export async function amendSessions(
  home: Home,
  amend: NonNullable<LiveFacts['beforeResume']>,
): Promise<void> {
  const folder = join(home.path, amend.folder)
  for (const name of await readdir(folder, { recursive: true })) {
    if (!amend.file.test(name)) continue
    const session = JSON.parse(await readFile(join(folder, name), 'utf8')) as object
    await writeFile(join(folder, name), JSON.stringify({ ...amend.add, ...session }))
  }
}
