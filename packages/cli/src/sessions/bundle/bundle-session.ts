import { existsSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { findSession, headline } from '../../args/find-session.ts'
import { fail, UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { colors } from '../../output/colors.ts'
import { byteSize } from '../../output/format-number.ts'
import { homePath } from '../../output/home-path.ts'
import { collectContents } from './contents.ts'
import { formatRemoved } from './readme.ts'
import { type PackedFile, tarGz } from './tar.ts'

/** Packs a session for a bug report and lists the files. */
export async function bundleSession(input: Input, io: Io): Promise<number> {
  const { values, positionals } = input
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  return readLedger(io, async (ledger) => {
    const entry = await findSession(ledger, positionals[0]!, io, agent)
    const name = `remora-${entry.agent}-${entry.session}`.replaceAll(/[^\w.-]/g, '-').slice(0, 60)
    const path = choosePath(input, name, io)
    await checkFree(path, values['force'] === true)
    if (!values['folder']) await checkFolder(dirname(path))
    const { files, removed } = await collectContents(ledger, entry, io)
    if (values['folder']) await writeFolder(path, files)
    else {
      const packed = files.map((file) => ({ ...file, name: `${name}/${file.name}` }))
      await write(path, tarGz(packed, entry.updatedAt), values['force'] === true)
    }
    const list = files.map(({ name: file, data }) => ({ name: file, bytes: data.length }))
    if (values['json']) {
      io.out(`${JSON.stringify({ path, session: entry.session, files: list, removed }, null, 2)}\n`)
      return 0
    }
    const paint = await colors(input, io)
    const width = Math.max(...list.map((each) => each.name.length))
    io.out(
      [
        `${paint.green('✓')} Packed ${paint.bold(headline(entry).slice(0, 60))} in ${homePath(path, io.home)}`,
        ...list.map((each) => `    ${each.name.padEnd(width)}  ${byteSize(each.bytes).padStart(9)}`),
        'Removed:',
        ...formatRemoved(removed).map((line) => `    ${line}`),
        'It contains the conversation. Check conversation.md before you send it.',
        '',
      ].join('\n'),
    )
    return 0
  })
}

function choosePath({ values }: Input, name: string, io: Io): string {
  const { output, folder } = values
  if (typeof output !== 'string') return resolve(io.cwd, folder ? name : `${name}.tar.gz`)
  if (output === '') throw new UsageError('--output needs a file', 'Leave it out to use a default name')
  return resolve(io.cwd, /^~(?=$|[/\\])/.test(output) ? join(io.home, output.slice(1)) : output)
}

async function checkFree(path: string, force: boolean): Promise<void> {
  if (!force && existsSync(path))
    throw await fail(
      'conflict',
      `${path} already exists`,
      'Choose another name with --output, or add --force',
    )
}

/** Checked first, because packing takes time. */
async function checkFolder(folder: string): Promise<void> {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  throw await fail(
    'input',
    found ? `${folder} is not a folder` : `The folder ${folder} does not exist`,
    'Create it, or choose another path with --output',
  )
}

async function write(path: string, data: Buffer, force: boolean): Promise<void> {
  try {
    await writeFile(path, data, { mode: 0o600, flag: force ? 'w' : 'wx' })
  } catch (cause) {
    throw await fail(
      'input',
      `Cannot write ${basename(path)}: ${(cause as Error).message}`,
      'Choose another path with --output',
    )
  }
}

async function writeFolder(path: string, files: readonly PackedFile[]): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  for (const { name, data } of files) await write(join(path, name), data, true)
}
