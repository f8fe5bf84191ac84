import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HookTarget } from '../../contract/agent.ts'
import { scanSpool, refusedPayloads } from '../../channels/hooks/spool.ts'
import { hooks } from './hooks.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'remora-opencode-'))
})
afterEach(() => rm(root, { recursive: true }))

const place = () => ({ env: {}, home: root, cwd: join(root, 'work') })
const ours = (events: readonly string[] = hooks.defaultEvents) =>
  events.map((event) => ({
    kind: 'record' as const,
    event,
    command: [join(root, 'o\'re "mora"', 'hooks', 'remora-hook'), 'opencode'],
  }))
async function targets(scope: 'user' | 'project' = 'user'): Promise<[HookTarget, HookTarget]> {
  const [plugin, npm] = await hooks.targets(place(), scope)
  return [plugin!, npm!]
}
async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true })
  await writeFile(join(root, name), text)
}

type Hook = (input: object, output?: object) => Promise<void>
/** The hooks of the plugin, as OpenCode gets them. */
async function load(events?: readonly string[]): Promise<Record<string, Hook>> {
  const [plugin] = await targets()
  const file = join(root, `plugin-${events?.length ?? 0}.mjs`)
  await writeFile(file, plugin.added('', ours(events)))
  const module = (await import(pathToFileURL(file).href)) as {
    Remora: (context: object) => Promise<Record<string, Hook>>
  }
  return module.Remora({ directory: '/w' })
}
const remoraHome = () => join(root, 'o\'re "mora"')
const waiting = { timeout: 30_000 }
async function readSpool(count: number): Promise<Record<string, unknown>[]> {
  await expect.poll(() => scanSpool(remoraHome()).entries, waiting).toHaveLength(count)
  const { entries, unfinished } = scanSpool(remoraHome())
  expect(unfinished).toEqual([])
  return Promise.all(
    entries.map(async ({ file }) => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>),
  )
}

describe('the plugin', () => {
  it('writes events to the spool in order, readable only by the owner', async () => {
    const plugin = await load()
    expect(Object.keys(plugin)).toEqual(hooks.events)
    const call = { sessionID: 's', tool: 'bash', callID: 'c' }
    await plugin['chat.message']!({ sessionID: 's' }, { parts: ['it\u2019s "quoted"\n'] })
    await plugin['tool.execute.before']!(call, { args: {} })
    await plugin['event']!({ event: { type: 'message.part.delta', properties: { sessionID: 's' } } })
    await plugin['event']!({ event: { type: 'plugin.added', properties: {} } })
    await plugin['tool.execute.after']!(call, { output: 'x'.repeat(200_000) })
    for (let index = 0; index < 20; index++)
      await plugin['event']!({ event: { type: 'session.status', properties: { sessionID: 's', index } } })
    const payloads = await readSpool(23)
    expect(payloads.slice(0, 4).map((payload) => payload['hook_event_name'])).toEqual([
      'chat.message',
      'tool.execute.before',
      'tool.execute.after',
      'event',
    ])
    expect(payloads[0]).toMatchObject({
      session_id: 's',
      cwd: '/w',
      timestamp: expect.stringMatching(/^\d{4}-/),
      output: { parts: ['it\u2019s "quoted"\n'] },
    })
    expect(payloads.slice(3)).toMatchObject(
      Array.from({ length: 20 }, (_, index) => ({ event: { properties: { index } } })),
    )
    const [entry] = scanSpool(remoraHome()).entries
    expect(entry!.agent).toBe('opencode')
    for (const path of [entry!.file, `${entry!.file}.ready`])
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(entry!.file))).mode & 0o777).toBe(0o700)
  })

  it('drops events over the limit and counts them', async () => {
    const plugin = await load(['chat.message'])
    expect(Object.keys(plugin)).toEqual(['chat.message'])
    const spool = join(remoraHome(), 'spool')
    const full = join(root, 'full')
    await mkdir(full)
    for (let index = 0; index < 128; index++) await writeFile(join(full, `gemini.${index}.0`), '')
    await mkdir(spool, { recursive: true })
    for (let shard = 0; shard < 64; shard++) await symlink(full, join(spool, `${shard}`))
    await plugin['chat.message']!({ sessionID: 's' }, {})
    await expect.poll(() => refusedPayloads(remoraHome()), waiting).toBe(1)
    await plugin['chat.message']!({ sessionID: 's' }, { parts: ['x'.repeat(9 * 1024 * 1024)] })
    await expect.poll(() => refusedPayloads(remoraHome()), waiting).toBe(2)
    expect(scanSpool(remoraHome()).entries).toEqual([])
  })

  it('writes pending events once when the process ends', async () => {
    await load(['chat.message'])
    const script = `const { Remora } = await import(${JSON.stringify(join(root, 'plugin-1.mjs'))})
const plugin = await Remora({ directory: '/w' })
for (let index = 0; index < 100; index++) plugin['chat.message']({ sessionID: 's' }, { index })
setTimeout(() => process.exit(0), Number(process.argv[1]))`
    for (const [run, delay] of [0, 5, 30].entries()) {
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, String(delay)])
      const payloads = (await readSpool(100 * (run + 1))).slice(100 * run)
      expect(payloads).toMatchObject(Array.from({ length: 100 }, (_, index) => ({ output: { index } })))
    }
  })

  it('keeps the order when the system still writes after the process has begun to end', async () => {
    await load(['chat.message'])
    const script = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.promises.writeFile = (file, text, { flag }) => {
  const handle = fs.openSync(file, flag, 0o600)
  process.once('exit', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    fs.writeSync(handle, text)
  })
  process.exit(0)
}
syncBuiltinESMExports()
const { Remora } = await import(${JSON.stringify(join(root, 'plugin-1.mjs'))})
const plugin = await Remora({ directory: '/w' })
for (let index = 0; index < 3; index++) plugin['chat.message']({ sessionID: 's' }, { index })`
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(await readSpool(3)).toMatchObject([0, 1, 2].map((index) => ({ output: { index } })))
  })

  it('never throws into OpenCode', async () => {
    const plugin = await load(['event', 'chat.message'])
    await writeFile(remoraHome(), 'no folder')
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    await plugin['chat.message']!({ sessionID: 's' }, circle)
    await plugin['event']!({ event: { type: 'session.idle' } })
    await plugin['event']!({ event: { type: 'session.idle', properties: { sessionID: 's' } } })
    await rm(remoraHome())
    await plugin['chat.message']!({ sessionID: 's' }, { index: 1 })
    expect((await readSpool(1))[0]).toMatchObject({ output: { index: 1 } })
  })

  it('is a file that is entirely ours', async () => {
    const [plugin] = await targets()
    expect(plugin.file).toBe(join(root, '.config/opencode/plugin/remora.js'))
    const text = plugin.added('', ours(['event', 'tool.execute.after']))
    expect(plugin.entries(text)).toEqual([
      { event: 'event', command: expect.stringContaining('/remora-hook'), kind: 'record' },
      { event: 'tool.execute.after', command: expect.stringMatching(/ opencode$/), kind: 'record' },
    ])
    expect(plugin.removed(text, 'pave')).toBe(text)
    expect(plugin.removed(text)).toBe('')
    expect(plugin.added('', [])).toBe('')
    expect((await targets('project'))[0].file).toBe(join(root, 'work/.opencode/plugin/remora.js'))
    const [named] = await hooks.targets(place(), { file: '/p/x.js' })
    expect(named!.file).toBe('/p/x.js')
  })

  it('leaves another author’s file unchanged', async () => {
    const [plugin] = await targets()
    const text = 'export const Mine = async () => ({})\n'
    expect(plugin.entries(text)).toEqual([{ event: 'plugin', command: text.trim() }])
    expect(plugin.removed(text)).toBe(text)
    expect(() => plugin.added(text, ours())).toThrow(expect.objectContaining({ code: 'config' }))
  })
})

describe('the settings of npm', () => {
  it('make npm give up early if our plugin would make OpenCode wait', async () => {
    const [, npm] = await targets()
    expect(npm.file).toBe(join(root, '.config/opencode/.npmrc'))
    const text = npm.added('', ours())
    expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'fetch-retries=0',
      'fetch-timeout=5000',
      '',
    ])
    expect(npm.entries(text)).toEqual([
      { event: 'npm install', command: 'fetch-retries=0 fetch-timeout=5000', kind: 'record' },
    ])
    expect(npm.added(text, ours())).toBe(text)
    expect(npm.removed(text)).toBe('')
    expect(npm.removed(text, 'pave')).toBe(text)
  })

  it.each([
    ['plugin/mine.ts', ''],
    ['plugins/mine.js', ''],
    ['opencode.json', '{"plugin": ["opencode-gemini-auth"]}'],
    ['opencode.jsonc', '{ /* mine */ "plugin": ["./x.js"], }'],
  ])('stay unchanged for a user with plugins: %s', async (name, text) => {
    await put(`.config/opencode/${name}`, text)
    const [, npm] = await targets()
    expect(npm.added('a=b\n', ours())).toBe('a=b\n')
  })

  it('change for a user with only our plugin', async () => {
    await put('.config/opencode/plugin/remora.js', 'ours')
    await put('.config/opencode/opencode.json', '{"plugin": []}')
    const [, npm] = await targets()
    const text = npm.added('a=b\n', ours())
    expect(text).toMatch(/\na=b\n$/)
    await put('.config/opencode/.npmrc', text)
    await put('.config/opencode/plugin/mine.js', '')
    const [, later] = await targets()
    expect(later.added('a=b\n', ours())).toBe(text)
  })

  it('come and go without a trace', async () => {
    const [, npm] = await targets()
    const line = fc.constantFrom('', '# note', 'fetch-retries=3', 'fetch-timeout=1', 'registry=http://r/')
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean(), (lines, eol, last) => {
        const text = lines.join(eol) + (last ? eol : '')
        expect(npm.removed(npm.added(text, ours()), 'record', text)).toBe(text)
      }),
    )
  })
})

describe('obstacles to loading the plugin', () => {
  const obstacles = async (env: Record<string, string>, file: string) =>
    (await hooks.obstacles!({ ...place(), env }, [file])).map(({ code }) => code)

  it('include a variable', async () => {
    const [plugin] = await targets()
    const [project] = await targets('project')
    expect(await obstacles({}, plugin.file)).toEqual([])
    expect(await obstacles({ OPENCODE_PURE: 'true' }, plugin.file)).toEqual(['hooks_off'])
    expect(await obstacles({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' }, plugin.file)).toEqual([])
    expect(await obstacles({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' }, project.file)).toEqual(['hooks_off'])
  })
})
