import { spawn } from 'node:child_process'
import { devNull } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'

export interface GitOptions {
  readonly cwd: string
  /** The user's own surroundings; only a few names of them reach git. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** How much it may say; what is more is cut off. */
  readonly maxBytes?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Lets filters of the repository run, as a checkout needs them. */
  readonly filters?: boolean
}

export interface GitOutput {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
  /** It said more than was wanted. */
  readonly cut: boolean
}

const defaultMaxBytes = 8 * 1024 * 1024
const defaultTimeoutMs = 30_000

/** What git may know of its surroundings: a GIT_DIR or a GIT_EXTERNAL_DIFF of ours is none of its business. */
const passed = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'USER', 'LOGNAME', 'SYSTEMROOT']

/**
 * A repository may come from anybody, and its configuration can name programs. None of those is run here: no hooks, no
 * watcher, no pager, no converter, and nothing is fetched. The user's own configuration counts, since it says which
 * folders are safe and which files are ignored.
 */
const settings: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.pager', 'cat'],
  ['core.quotePath', 'false'],
  ['core.untrackedCache', 'false'],
  ['diff.external', ''],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.orderFile', devNull],
  ['diff.submodule', 'short'],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
]

/**
 * Runs git so that a hostile repository cannot make it run anything else.
 *
 * @example const { stdout } = await git(['rev-parse', 'HEAD'], { cwd })
 */
export async function git(args: readonly string[], options: GitOptions): Promise<GitOutput> {
  const filters = options.filters ? [] : await ownFilters(options)
  return runGit(args, options, [...settings, ...filters])
}

/** The same, and its output as text; throws what git said where it failed. @example await gitText(['rev-parse', 'HEAD'], { cwd }) */
export async function gitText(args: readonly string[], options: GitOptions): Promise<string> {
  const { code, stdout, stderr, cut } = await git(args, options)
  if (code !== 0 && !cut) throw gitFailed(args, stderr)
  return stdout.toString().trimEnd()
}

/** The same, undefined where git fails. @example await tryGit(['symbolic-ref', 'HEAD'], { cwd }) */
export async function tryGit(args: readonly string[], options: GitOptions): Promise<string | undefined> {
  const { code, stdout } = await git(args, options)
  return code === 0 ? stdout.toString().trimEnd() : undefined
}

export function gitFailed(args: readonly string[], stderr: string): RemoraError {
  const said = stderr.trim().split('\n').slice(0, 3).join(' ').slice(0, 500)
  const unsafe = /dubious ownership/.test(stderr)
  return new RemoraError(
    unsafe ? 'untrusted' : 'unknown',
    `git ${args[0]} failed: ${said || 'no reason given'}`,
    {
      hint: unsafe
        ? 'Another user owns the folder. To trust it: git config --global --add safe.directory <folder>'
        : 'Run git status in a terminal.',
    },
  )
}

/**
 * Filters that the repository itself configures, switched off: git runs them to compare a file with its stored form.
 * Those of the user's own configuration, such as git-lfs, stay.
 */
async function ownFilters(options: GitOptions): Promise<(readonly [string, string])[]> {
  const args = ['config', '--list', '--name-only', '--show-scope', '-z']
  const { code, stdout } = await runGit(args, options, settings)
  if (code !== 0) return []
  const words = stdout.toString().split('\0')
  const names = new Set<string>()
  for (let index = 0; index + 1 < words.length; index += 2) {
    const found = /^filter\.([\s\S]+)\.[^.]+$/.exec(words[index + 1]!)
    if (found && (words[index] === 'local' || words[index] === 'worktree')) names.add(found[1]!)
  }
  return [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.smudge`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ])
}

function environment(
  options: GitOptions,
  configuration: readonly (readonly [string, string])[],
): NodeJS.ProcessEnv {
  const from = options.env ?? process.env
  const env: NodeJS.ProcessEnv = {}
  for (const name of passed) if (from[name] !== undefined) env[name] = from[name]
  Object.assign(env, {
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_ASKPASS: '',
    GIT_EDITOR: 'false',
    // A partial clone would fetch what it lacks, by a program that its configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // As variables, since a name with a `=` in it cannot be given by `-c`.
    GIT_CONFIG_COUNT: String(configuration.length),
  })
  configuration.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  })
  return env
}

function runGit(
  args: readonly string[],
  options: GitOptions,
  configuration: readonly (readonly [string, string])[],
): Promise<GitOutput> {
  const { cwd, maxBytes = defaultMaxBytes, timeoutMs = defaultTimeoutMs, signal } = options
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['--no-pager', ...args], {
      cwd,
      env: environment(options, configuration),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(signal ? { signal } : {}),
    })
    const chunks: Buffer[] = []
    let size = 0
    let cut = false
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (cut) return
      const room = maxBytes - size
      size += chunk.length
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (size <= maxBytes) return
      cut = true
      child.kill('SIGKILL')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < 10_000) stderr += text
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (signal?.aborted) reject(new RemoraError('aborted', 'git was cancelled', { cause: error }))
      else reject(notStarted(error, cwd))
    })
    child.on('close', (code, killedBy) => {
      if (killedBy === 'SIGKILL' && !cut && !signal?.aborted)
        reject(
          new RemoraError('timeout_total', `git ${args[0]} took longer than ${timeoutMs / 1000} s`, {
            hint: 'The repository may be very large, or its disk slow.',
          }),
        )
      else resolve({ code, stdout: Buffer.concat(chunks), stderr, cut })
    })
  })
}

function notStarted(error: NodeJS.ErrnoException, cwd: string): RemoraError {
  return new RemoraError('not_found', `Cannot start git in ${cwd}: ${error.message}`, {
    hint: 'Check that git is installed and the folder exists.',
    cause: error,
  })
}
