import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from '../clis.ts'
import { type PlanCell, type PlanOutcome, describeCell } from './cell.ts'

const execute = promisify(execFile)
/** The folder of the tests in TMPDIR is for their own user only. */
const temporary = '/tmp'

/** Runs a cell in a process of its own, as the user that it names. Throws where this machine cannot do that. */
export async function runPlanCell(cell: PlanCell): Promise<PlanOutcome> {
  const folder = await mkdtemp(join(temporary, 'remora-plan-'))
  try {
    const as = cell.user === 'root' ? { words: [], root: repository } : await becomeOrdinary(folder)
    const worker = join(as.root, 'testkit', 'src', 'plan', 'worker.ts')
    const [file, ...args] = [
      ...as.words,
      process.execPath,
      '--import',
      join(as.root, 'node_modules', 'tsx', 'dist', 'loader.mjs'),
      worker,
      JSON.stringify(cell),
    ]
    const { stdout } = await execute(file, args, {
      cwd: as.root,
      maxBuffer: 64 * 1024 * 1024,
      timeout: 300_000,
      env: {
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        HOME: folder,
        TMPDIR: folder,
        LANG: 'C.UTF-8',
      },
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${describeCell(cell)} failed: ${error.message}\n${error.stdout}\n${error.stderr}`)
    })
    const line = /^OUTCOME (.*)$/m.exec(stdout)?.[1]
    if (line === undefined) throw new Error(`${describeCell(cell)} has no outcome:\n${stdout}`)
    return JSON.parse(line) as PlanOutcome
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

/** Why a cell cannot run as this user here; undefined where it can. */
export async function findObstacle(user: PlanCell['user']): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'needs setpriv, which only Linux has'
  if (process.getuid?.() !== 0) return user === 'root' ? 'the tests do not run as root' : undefined
  if (user === 'root') return undefined
  const folder = await mkdtemp(join(temporary, 'remora-plan-'))
  try {
    const { words, root } = await becomeOrdinary(folder)
    const [file, ...args] = [...words, process.execPath, '-e', `fs.accessSync('${root}/package.json')`]
    await execute(file, args)
    return undefined
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The command that runs another one as the user `nobody`, and where that user finds the checkout. A clone may be in a
 * folder that only root can enter, such as /root: then it is mounted into the temporary folder, for that command alone.
 */
async function becomeOrdinary(folder: string): Promise<{ words: string[]; root: string }> {
  if (process.getuid?.() !== 0) return { words: [], root: repository }
  const ids = await Promise.all(
    ['-u', '-g'].map(async (flag) => (await execute('id', [flag, 'nobody'])).stdout.trim()),
  )
  const [user, group] = ids as [string, string]
  await chown(folder, Number(user), Number(group))
  await chmod(folder, 0o755)
  const become = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--']
  const canEnter = await execute(become[0]!, [
    ...become.slice(1),
    'test',
    '-r',
    join(repository, 'package.json'),
  ]).then(
    () => true,
    () => false,
  )
  if (canEnter) return { words: become, root: repository }
  const root = join(folder, 'checkout')
  if (!existsSync(root)) await mkdir(root)
  const script = 'mount --bind "$0" "$1" && shift && exec "$@"'
  return { words: ['unshare', '--mount', 'sh', '-c', script, repository, root, ...become], root }
}
