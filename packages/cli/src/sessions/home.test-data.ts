import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findAgent, sessions } from '@remora/sdk'
import { TestDatabase, readDump, withTimes } from '../../../sdk/src/agents/opencode/database.test-data.ts'
import type { Io } from '../command/io.ts'
import { main } from '../main.ts'

/** A recorded session for a home. */
export interface Wanted {
  readonly agent: 'gemini' | 'claude' | 'codex' | 'opencode'
  readonly scenario: string
  readonly version?: string
  /** Its new id: a uuid, or an id in OpenCode's format. */
  readonly id: string
  /** Its new day. */
  readonly day?: string
}

/** Three recorded sessions that most tests use. */
export const hello = {
  agent: 'claude',
  scenario: 'hello',
  id: 'aaaa1111-0000-4000-8000-000000000001',
  day: '2026-10-01',
} as const
export const edit = {
  agent: 'gemini',
  scenario: 'edit',
  id: 'bbbb1111-0000-4000-8000-000000000002',
  day: '2026-10-02',
} as const
export const shell = {
  agent: 'codex',
  scenario: 'failing-shell',
  id: 'cccc1111-0000-4000-8000-000000000003',
  day: '2026-10-02',
} as const

const versions = { gemini: '0.61.0', claude: '2.1.197', codex: '0.166.0', opencode: '1.18.33' }
const recordedDay = '2026-01-01'

/** The session file that a real CLI wrote. @example recordedFile({ agent: 'claude', scenario: 'edit' }) */
export function recordedFile({ agent, scenario, version = versions[agent] }: Omit<Wanted, 'id'>): string {
  const folder = fixture(agent, version, scenario)
  return ['session.jsonl', 'session.json'].map((name) => join(folder, name)).find(existsSync)!
}

function fixture(agent: string, version: string, scenario: string): string {
  return new URL(`../../../sdk/src/agents/${agent}/fixtures/${version}/${scenario}`, import.meta.url).pathname
}

/** A database of OpenCode with one recorded session. */
export function recordedDatabase(scenario: string, id?: string): Disposable & { readonly path: string } {
  const file = new URL(
    `../../../sdk/src/agents/opencode/fixtures/${versions.opencode}/${scenario}/session.jsonl`,
    import.meta.url,
  )
  const dump = withTimes(readDump(file))
  const own = dump.find(({ table }) => table === 'session')!.id
  const text = JSON.stringify(dump)
  return new TestDatabase(JSON.parse(id === undefined ? text : text.replaceAll(own, id)) as typeof dump)
}

/** A home for sessions, and the command in it. */
export class TestHome implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'remora-cli-sessions-'))
  readonly state = join(this.path, '.remora')

  /** Copies a recorded session to its CLI's folder. Returns its file. */
  async add(wanted: Wanted): Promise<string> {
    const { agent, scenario, id, day = recordedDay, version = versions[agent] } = wanted
    const root = findAgent(agent)!.transcripts!.root({ env: {}, home: this.path, cwd: this.path })
    if (agent === 'opencode') return this.#addDatabase(root, scenario, id)
    const file = recordedFile(wanted)
    const [event] = await sessions.events(file, { env: {}, home: this.path })
    const own = event!.session
    const meta = JSON.parse(readFileSync(join(fixture(agent, version, scenario), 'meta.json'), 'utf8')) as {
      sessions: [string]
    }
    const renamed = (text: string): string =>
      text
        .replaceAll(own, id)
        .replaceAll(`-${own.slice(0, 8)}.`, `-${id.slice(0, 8)}.`)
        .replaceAll(recordedDay, day)
        .replaceAll(recordedDay.replaceAll('-', '/'), day.replaceAll('-', '/'))
    const target = join(root, renamed(meta.sessions[0]))
    this.write(target, renamed(readFileSync(file, 'utf8')))
    return target
  }

  #addDatabase(root: string, scenario: string, id: string): string {
    using database = recordedDatabase(scenario, id)
    const target = join(root, 'opencode.db')
    mkdirSync(root, { recursive: true })
    for (const end of ['', '-wal'])
      if (existsSync(database.path + end)) copyFileSync(database.path + end, target + end)
    return target
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  /** Runs a command line in this home, by default with pipes instead of a terminal. */
  async remora(words: readonly string[], more: Partial<Io> = {}) {
    let out = ''
    let err = ''
    const code = await main(words, {
      env: { PATH: join(this.path, 'bin'), HOME: this.path },
      cwd: this.path,
      home: this.path,
      platform: 'linux',
      terminal: false,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      ...more,
    })
    return { code, out, err, json: <T>() => JSON.parse(out) as T }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
