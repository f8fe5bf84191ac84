import { randomUUID } from 'node:crypto'
import { access, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Agent, type TestkitPart, killTree, runVariable } from '@remora/sdk'
import type { Io } from '../../command/io.ts'

/** An isolated home in which an agent is probed. Disposing ends everything that runs there and removes it. */
export interface ProbeHome extends AsyncDisposable {
  readonly path: string
  readonly cwd: string
  /** The environment of the agent. Every variable of this process that it does not have is undefined. */
  readonly env: Readonly<Record<string, string | undefined>>
  has(file: string): Promise<boolean>
}

interface ProbeHomeOptions {
  readonly version: string
  readonly url: string
  /** Variables with the paths of the user's programs. */
  readonly programs: Readonly<Record<string, string>>
}

/** Variables of the user that are passed on: where programs are, and the language. No key is among them. */
const passed = /^(?:PATH|Path|LANG|LC_\w+|SystemRoot|ComSpec|PATHEXT)$/

/** A number that no process has as its id. */
const noProcess = Number.MAX_SAFE_INTEGER

/** Creates the isolated home of a probe, by the recipe of the agent. */
export async function createProbeHome(
  agent: Agent & { readonly testkit: TestkitPart },
  { version, url, programs }: ProbeHomeOptions,
  io: Io,
): Promise<ProbeHome> {
  // Some agents report the real path if the folder for temporary files is a link.
  const root = await mkdtemp(join(await realpath(io.env['TMPDIR'] ?? tmpdir()), 'remora-probe-'))
  const path = join(root, 'home')
  const cwd = join(path, 'work')
  const place = { home: path, cwd, version, url }
  const mark = randomUUID()
  try {
    await mkdir(cwd, { recursive: true })
    await mkdir(join(path, 'tmp'))
    for (const [name, content] of Object.entries(agent.testkit.home.files(place))) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
    }
  } catch (error) {
    await rm(root, { recursive: true, force: true })
    throw error
  }
  const hidden = Object.keys({ ...process.env, ...io.env }).map((name) => [name, undefined] as const)
  const own = Object.entries(io.env).filter(([name]) => passed.test(name))
  return {
    path,
    cwd,
    env: {
      ...Object.fromEntries([...hidden, ...own]),
      HOME: path,
      USERPROFILE: path,
      TMPDIR: join(path, 'tmp'),
      TERM: 'xterm-256color',
      ...agent.testkit.home.env(place),
      ...programs,
      [runVariable]: mark,
    },
    has: (file) =>
      access(join(cwd, file)).then(
        () => true,
        () => false,
      ),
    async [Symbol.asyncDispose]() {
      await killTree({ pid: noProcess, startTime: undefined, run: mark }, { grace: 500 })
      await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}
