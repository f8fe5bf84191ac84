import { spawn } from 'node:child_process'
import { devNull } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'

export interface GitOptions {
  readonly cwd: string
  /** The user's environment, of which only a few variables reach git. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The limit of the output; the rest is dropped. */
  readonly maxBytes?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Runs the filters of the repository, which a checkout needs. */
  readonly filters?: boolean
}

export interface GitOutput {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
  /** Whether the output was truncated. */
  readonly cut: boolean
}

const defaultMaxBytes = 8 * 1024 * 1024
const defaultTimeoutMs = 30_000

/** The variables that git gets, without any GIT_DIR or GIT_EXTERNAL_DIFF. */
const passedVariables = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'USER', 'LOGNAME', 'SYSTEMROOT']

/**
 * The configuration of an untrusted repository can name programs, so hooks, watchers, pagers, converters and fetches are
 * disabled. The user's own configuration still applies, for safe folders and ignored files.
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
  const filters = options.filters ? [] : await disableRepositoryFilters(options)
  return runGit(args, options, [...settings, ...filters])
}

/** Runs git and returns its output as text, or throws its error. @example await gitText(['rev-parse', 'HEAD'], { cwd }) */
export async function gitText(args: readonly string[], options: GitOptions): Promise<string> {
  const { code, stdout, stderr, cut } = await git(args, options)
  if (code !== 0 && !cut) throw createGitError(args, stderr)
  return stdout.toString().trimEnd()
}

/** Runs git and returns undefined if it fails. @example await tryGit(['symbolic-ref', 'HEAD'], { cwd }) */
export async function tryGit(args: readonly string[], options: GitOptions): Promise<string | undefined> {
  const { code, stdout } = await git(args, options)
  return code === 0 ? stdout.toString().trimEnd() : undefined
}

export function createGitError(args: readonly string[], stderr: string): RemoraError {
  const reason = stderr.trim().split('\n').slice(0, 3).join(' ').slice(0, 500)
  const unsafe = /dubious ownership/.test(stderr)
  return new RemoraError(
    unsafe ? 'untrusted' : 'unknown',
    `git ${args[0]} failed: ${reason || 'no reason given'}`,
    {
      hint: unsafe
        ? 'Another user owns the folder. To trust it: git config --global --add safe.directory <folder>'
        : 'Run git status in a terminal.',
    },
  )
}

/**
 * Disables filters of the repository's own configuration, which git would run for a diff. Filters of the user's
 * configuration, such as git-lfs, stay.
 */
async function disableRepositoryFilters(options: GitOptions): Promise<(readonly [string, string])[]> {
  const args = ['config', '--list', '--name-only', '--show-scope', '-z']
  const { code, stdout } = await runGit(args, options, settings)
  if (code !== 0) return []
  const fields = stdout.toString().split('\0')
  const names = new Set<string>()
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const found = /^filter\.([\s\S]+)\.[^.]+$/.exec(fields[index + 1]!)
    if (found && (fields[index] === 'local' || fields[index] === 'worktree')) names.add(found[1]!)
  }
  return [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.smudge`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ])
}

function createEnv(
  options: GitOptions,
  configuration: readonly (readonly [string, string])[],
): NodeJS.ProcessEnv {
  const from = options.env ?? process.env
  const env: NodeJS.ProcessEnv = {}
  for (const name of passedVariables) if (from[name] !== undefined) env[name] = from[name]
  Object.assign(env, {
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_ASKPASS: '',
    GIT_EDITOR: 'false',
    // A partial clone would fetch missing objects by a program in its configuration.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // Passed as variables, because `-c` does not support a `=` in a name.
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
      env: createEnv(options, configuration),
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
      else reject(createStartError(error, cwd))
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

function createStartError(error: NodeJS.ErrnoException, cwd: string): RemoraError {
  return new RemoraError('not_found', `Cannot start git in ${cwd}: ${error.message}`, {
    hint: 'Check that git is installed and the folder exists.',
    cause: error,
  })
}
