import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

/** The identity of a machine. */
export interface OwnNode {
  readonly id: string
  /** The display name. */
  readonly name: string
}

const maxNameLength = 60

/**
 * The machine that a REMORA_HOME folder belongs to. The id is created once and never changes, since sessions refer to
 * it.
 *
 * @example const { id, name } = await getOwnNode('/home/me/.remora')
 */
export async function getOwnNode(remoraHome: string): Promise<OwnNode> {
  const known = await read(remoraHome)
  if (known) return known
  const name = hostname().slice(0, maxNameLength) || 'this machine'
  // If two processes create it at the same time, the first one wins.
  await write(remoraHome, { id: `n-${randomBytes(8).toString('hex')}`, name }, link).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return (await read(remoraHome))!
}

/** Changes the display name of the machine. @example await renameNode('/home/me/.remora', 'the laptop') */
export async function renameNode(remoraHome: string, newName: string): Promise<OwnNode> {
  const name = newName.trim()
  if (name === '' || name.length > maxNameLength || /\p{Cc}/u.test(name))
    throw new RemoraError('usage', 'Invalid machine name', {
      hint: `Use 1 to ${maxNameLength} characters on one line.`,
    })
  const node = { ...(await getOwnNode(remoraHome)), name }
  await write(remoraHome, node, rename)
  return node
}

async function read(remoraHome: string): Promise<OwnNode | undefined> {
  const file = getNodeFile(remoraHome)
  try {
    const { id, name } = JSON.parse(await readFile(file, 'utf8')) as Partial<OwnNode>
    if (typeof id === 'string' && id !== '' && typeof name === 'string') return { id, name }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  }
  throw new RemoraError('config', `${file} is damaged: it must contain this machine's id and name`, {
    hint: 'Restore {"id": …, "name": …}, or delete the file; this computer then becomes a new machine.',
  })
}

/** Writes a temporary file and then moves it into place, so that readers never see half a file. */
async function write(
  remoraHome: string,
  node: OwnNode,
  put: (from: string, to: string) => Promise<void>,
): Promise<void> {
  await mkdir(remoraHome, { recursive: true, mode: 0o700 })
  const draft = `${getNodeFile(remoraHome)}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(node)}\n`, { mode: 0o600 })
    await put(draft, getNodeFile(remoraHome))
  } finally {
    await rm(draft, { force: true })
  }
}

function getNodeFile(remoraHome: string): string {
  return join(remoraHome, 'node.json')
}
