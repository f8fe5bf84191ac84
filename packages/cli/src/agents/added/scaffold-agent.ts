import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { contractVersion } from '@remora/sdk/plugins'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { version } from '../../command/version.ts'
import { shellLine } from '../../output/shell-word.ts'
import { checkId } from './add-agent.ts'
import { writeScaffold } from './scaffold-files.ts'

/** Writes a package with the parts of an agent, each with an example. It passes the contract checks as it is. */
export async function scaffoldAgent({ positionals, values }: Input, io: Io): Promise<number> {
  const [id, folder = `remora-agent-${id}`] = positionals as [string, string?]
  await checkId(id, io)
  const path = resolve(io.cwd, folder)
  const present = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (present.length > 0)
    throw await fail(
      'conflict',
      `${path} is not empty`,
      'Name another folder: remora agents scaffold <id> <folder>',
    )
  const files = writeScaffold({ id, contract: contractVersion, remora: version })
  await mkdir(path, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  if (values['json']) io.out(`${JSON.stringify({ folder: path, files: Object.keys(files) }, null, 2)}\n`)
  else {
    const way = relative(io.cwd, path)
    const word = way.startsWith('.') || way === '' ? path : `./${way}`
    io.out(
      `Wrote ${Object.keys(files).length} files to ${path}\n` +
        `  Edit them, starting with README.md, then: ${shellLine(['remora', 'agents', 'add', word])}\n`,
    )
  }
  return 0
}
