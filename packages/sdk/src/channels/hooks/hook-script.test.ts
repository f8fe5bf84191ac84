import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHookScript } from './hook-script.ts'
import { scanSpool, createSpool, refusedPayloads } from './spool.ts'

const shells: [string, string[], Record<string, string>][] = [
  ['dash', ['dash'], {}],
  ['bash as sh', ['bash', '--posix'], {}],
  ['bash', ['bash'], {}],
  ['bash that behaves as 3.2', ['bash'], { BASH_COMPAT: '3.2' }],
  ['busybox', ['busybox', 'sh'], {}],
]

let folder = ''
let home = ''
let script = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-hook-'))
  home = join(folder, `it's a "home" of $HOME, öfter \\ mal`)
  script = join(home, 'hooks', 'remora-hook')
  mkdirSync(join(home, 'hooks'), { recursive: true })
  writeFileSync(script, createHookScript(['quiet', 'silent']), { mode: 0o755 })
  createSpool(home)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.each(shells)('under %s', (_name, [program, ...first], env) => {
  /** Runs the hook as this shell. */
  function hook(words: readonly string[], options: SpawnSyncOptions = {}) {
    const { stdout, stderr, status } = spawnSync(program!, [...first, script, ...words], {
      ...options,
      env: { PATH: process.env['PATH'], SECRET: 'swordfish', ...env, ...options.env },
      encoding: 'utf8',
    })
    return { stdout, stderr, status }
  }
  const fine = { stdout: '{}\n', stderr: '', status: 0 }
  const payloads = () => scanSpool(home).entries.map(({ file }) => readFileSync(file, 'utf8'))

  it('stores a payload byte for byte, readable only by the user', () => {
    const payload = `{"text":"ü \\\\n %s $HOME \`id\` 'a' \\"b\\""}\n`
    expect(hook(['gemini'], { input: payload })).toEqual(fine)
    const [entry] = scanSpool(home).entries
    expect(entry).toMatchObject({ agent: 'gemini', size: Buffer.byteLength(payload) })
    expect(payloads()).toEqual([payload])
    const modes = [entry!.file, `${entry!.file}.ready`].map((file) => statSync(file).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600])
  })

  it('also accepts a payload as an argument, as from Codex', () => {
    const payload = String.raw`{"type":"agent-turn-complete","text":"100 % \n $HOME"}`
    expect(hook(['codex-notify', payload], { stdio: ['ignore', 'pipe', 'pipe'] })).toEqual(fine)
    expect(scanSpool(home).entries).toMatchObject([{ agent: 'codex' }])
    expect(payloads()).toEqual([payload])
  })

  it('prints nothing for agents that would show it to the model', () => {
    for (const agent of ['quiet', 'silent'])
      expect(hook([agent], { input: '{}' })).toEqual({ ...fine, stdout: '' })
    expect(hook(['other'], { input: '{}' })).toEqual(fine)
    expect(payloads()).toEqual(['{}', '{}', '{}'])
  })

  it('creates the spool again if it was removed', () => {
    rmSync(join(home, 'spool'), { recursive: true })
    expect(hook(['gemini'], { input: '{}' })).toEqual(fine)
    expect(payloads()).toEqual(['{}'])
    expect(statSync(join(home, 'spool')).mode & 0o777).toBe(0o700)
  })

  /** Lets a process do something before it becomes the hook: the names and the shard come of its id. */
  function hookAfter(prepare: string, words: readonly string[] = ['gemini']) {
    const line = `shard="$0/spool/$(($$ % 64))"; ${prepare}; exec "$@"`
    const { stdout, stderr, status } = spawnSync(
      'sh',
      ['-c', line, home, program!, ...first, script, ...words],
      {
        env: { PATH: process.env['PATH'], ...env },
        input: 'new',
        encoding: 'utf8',
      },
    )
    return { stdout, stderr, status }
  }

  it('does not reuse a file name when a process id is reused', () => {
    const taken = 'for n in 0 1 2; do echo old > "$shard/gemini.$$.$n"; done'
    expect(hookAfter(taken)).toEqual(fine)
    const { unfinished } = scanSpool(home)
    expect(unfinished.map(({ file }) => readFileSync(file, 'utf8'))).toEqual(['old\n', 'old\n', 'old\n'])
    expect(payloads()).toEqual(['new'])
  })

  it('refuses and counts payloads when the spool is full', () => {
    const fill = 'n=0; while [ $n -lt 128 ]; do : > "$shard/x$n"; n=$((n + 1)); done'
    expect(hookAfter(fill)).toEqual(fine)
    expect(hookAfter(fill, ['codex-notify', '{}'])).toEqual(fine)
    expect(payloads()).toEqual([])
    expect(refusedPayloads(home)).toBe(2)
    // Its process may have the shard of one of the two before.
    const fillAllButOne =
      'rm -f "$shard"/*; n=0; while [ $n -lt 127 ]; do : > "$shard/x$n"; n=$((n + 1)); done'
    expect(hookAfter(fillAllButOne)).toEqual(fine)
    expect(payloads()).toEqual(['new'])
  })

  it('refuses a payload that is too large and stores none of it', () => {
    expect(hook(['gemini'], { input: Buffer.alloc(17 * 1024 * 1024, 'x') })).toEqual(fine)
    expect(scanSpool(home)).toMatchObject({ entries: [], unfinished: [{ size: 0 }] })
    expect(refusedPayloads(home)).toBe(1)
    expect(readdirSync(process.cwd()).filter((name) => name.startsWith('core'))).toEqual([])
  })

  it('stores no entry for an empty payload', () => {
    expect(hook(['gemini'], { input: '' })).toEqual(fine)
    expect(payloads()).toEqual([])
    expect(refusedPayloads(home)).toBe(0)
  })

  it('always exits with 0', () => {
    for (const closed of ['exec <&-', 'exec >&-', 'exec <&- >&- 2>&-'])
      expect(hookAfter(closed)).toMatchObject({ stderr: '', status: 0 })
    expect(hookAfter('self=$(command -v "$1"); shift; set -- "$self" "$@"; PATH=/nowhere')).toMatchObject({
      stderr: '',
      status: 0,
    })
    expect(hook([], { input: '{}' })).toEqual(fine)
    expect(hook(['no/such/name'], { input: '{}' })).toEqual(fine)
    rmSync(join(home, 'spool'), { recursive: true })
    writeFileSync(join(home, 'spool'), 'a file')
    expect(hook(['gemini'], { input: '{}' })).toEqual(fine)
  })

  it('stores nothing from the environment', () => {
    const named = {
      agent: 'x',
      count: 'x',
      kept: 'x',
      n: '7',
      payload: 'x',
      spool: 'x',
      shard: 'x',
      file: 'x',
    }
    expect(hook(['gemini'], { input: '{}', env: named })).toEqual(fine)
    expect(hook(['gemini', '{"a":1}'], { env: named })).toEqual(fine)
    const written = readdirSync(join(home, 'spool'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    expect(written.filter((text) => text !== '').toSorted()).toEqual(['{"a":1}', '{}'])
    expect(scanSpool(home).entries.map(({ agent }) => agent)).toEqual(['gemini', 'gemini'])
  })
})

it('exits silently if nothing can be written', () => {
  // The super-user may write everywhere but there.
  const readOnly = process.getuid?.() === 0 ? '/proc/sys' : join(folder, 'read-only')
  if (!existsSync(readOnly)) mkdirSync(readOnly, { mode: 0o500 })
  const text = createHookScript().replace('${0%/*}/..', readOnly)
  writeFileSync(script, text)
  chmodSync(script, 0o755)
  const { stdout, stderr, status } = spawnSync(script, ['gemini'], { input: '{}', encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: '{}\n', stderr: '', status: 0 })
})

it('has few lines, one fork and no program that may be missing', () => {
  const lines = createHookScript(['quiet'])
    .split('\n')
    .filter((line) => !line.startsWith('#') && line !== '')
  expect(lines.length).toBeLessThan(30)
  expect(createHookScript()).not.toMatch(/curl|node|\bmv\b|\brm\b|\$\([^(]/)
})
