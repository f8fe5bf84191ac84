import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { getEnds, say } from './taken.ts'

/** Files that an agent writes through the program. */
export function testFiling(stage: () => Stage, { writesThroughUs = false }: AcpContractOptions) {
  if (!writesThroughUs) return
  it('writes a new file and an old one through us', async () => {
    const { cwd } = stage().home
    const asked: unknown[] = []
    await writeFile(join(cwd, 'through-old.txt'), 'old')
    await using connection = await stage().connect({
      files: { read: true, write: true },
      permissions: 'auto',
      sink: { write: ({ raw }) => void asked.push((raw as { method?: string } | undefined)?.method) },
    })
    await using session = await connection.open({ cwd })
    for (const name of ['through-new.txt', 'through-old.txt']) {
      const { events } = await say(session, `WRITE: ${name} hello`)
      expect([...getEnds(events).values()], name).toEqual(['success'])
      expect((await readFile(join(cwd, name), 'utf8')).trim()).toBe('hello')
    }
    expect(asked.filter((method) => method === 'fs/write_text_file')).toHaveLength(2)
  })
}
