import { mkdir, mkdtemp, readFile, realpath, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { forget, switchOff, enabledExtensions, enablementFile, isEnabled } from './extensions.ts'
import { filesBelow, writeInto } from './folder.test-data.ts'
import { createRunExtension, removeStaleExtensions } from './run-extension.ts'

let place: Place
let extensions = ''
beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'remora-extension-')))
  place = { env: {}, home, cwd: join(home, 'work'), version: '0.61.0' }
  extensions = join(home, '.gemini', 'extensions')
  await mkdir(place.cwd)
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

describe('the file that disables extensions', () => {
  it.each([
    ['{}\n'],
    ['{ "a": { "overrides": [ "!/*" ] } }'],
    [JSON.stringify({ a: { overrides: ['/b/*'] }, c: { overrides: [] } }, null, 2)],
  ])('has the same bytes afterwards: %j', async (text) => {
    const file = enablementFile(place)
    await writeInto(extensions, 'extension-enablement.json', text)
    for (const name of ['x', 'y', 'z']) expect(await switchOff(file, name)).toBe(true)
    const rules = JSON.parse(await readFile(file, 'utf8')) as object
    expect(rules).toMatchObject({
      x: { overrides: ['!/*'] },
      z: { overrides: ['!/*'] },
      ...(JSON.parse(text) as object),
    })
    await forget(file, ['y'])
    await forget(file, ['z', 'x'])
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('is removed if it only had our entries, and stays unchanged if it is broken', async () => {
    const file = enablementFile(place)
    await switchOff(file, 'x')
    await forget(file, ['x'])
    expect(await filesBelow(extensions)).toEqual([])
    await writeInto(extensions, 'extension-enablement.json', '{ broken')
    expect(await switchOff(file, 'x')).toBe(false)
    expect(await readFile(file, 'utf8')).toBe('{ broken')
  })

  it('loses our entry in a file that was rewritten', async () => {
    const file = enablementFile(place)
    const rewritten = { x: { overrides: ['!/*'] }, a: { overrides: [] } }
    await writeInto(extensions, 'extension-enablement.json', JSON.stringify(rewritten, null, 2))
    await forget(file, ['x'])
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ a: { overrides: [] } })
  })
})

it.each([
  [undefined, true],
  [['!/*'], false],
  [['!/home/me/*'], false],
  [['!/home/me/*', '/home/me/work/*'], true],
  [['!/home/me/'], true],
  [['!/home/me/work/'], false],
  [['!/home/other/*'], true],
])('%j enables an extension in /home/me/work: %s', (overrides, expected) => {
  expect(isEnabled(overrides, '/home/me/work')).toBe(expected)
})

describe('the extension of a run', () => {
  const servers = {
    lab: { url: 'https://lab.example/mcp', headers: { authorization: 'Bearer sec$ret' } },
    pipe: { command: 'node', args: ['server.js', '$HOME'], env: { TOKEN: 'sec$ret' } },
  }

  it('writes no value of the caller to a file, names the user’s own extensions, and is removed', async () => {
    await writeInto(extensions, 'mine/gemini-extension.json', '{"name":"mine","version":"1"}')
    await writeInto(extensions, 'broken/gemini-extension.json', '{')
    const before = await filesBelow(place.home)
    const extension = await createRunExtension(servers, place)
    expect(extension.args).toEqual(['-e', 'mine', '-e', expect.stringMatching(/^remora-run-/) as string])
    for (const file of await filesBelow(place.home)) {
      const text = await readFile(join(place.home, file), 'utf8')
      for (const word of ['sec', 'lab.example', 'server.js']) expect(text).not.toContain(word)
    }
    // This version expands these values twice.
    expect(Object.values(extension.env)).toEqual([
      'https://lab.example/mcp',
      'Bearer sec\\$ret',
      'node',
      'server.js',
      '$HOME',
      'sec\\$ret',
    ])
    expect((await enabledExtensions(place)).map(({ name }) => name)).toEqual(['mine'])
    expect(await extension.remove()).toEqual([])
    expect(await filesBelow(place.home)).toEqual(before)
  })

  it('respects the caller’s choice of extensions', async () => {
    await writeInto(extensions, 'mine/gemini-extension.json', '{"name":"mine","version":"1"}')
    const extension = await createRunExtension(servers, place, ['-e', 'none'])
    expect(extension.args).toHaveLength(2)
  })

  it('is not created if only some extensions are allowed', async () => {
    await writeInto(place.home, '.gemini/settings.json', '{"security":{"allowedExtensions":["x"]}}')
    await expect(createRunExtension(servers, place)).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('stays while its owner lives and is cleaned up afterwards', async () => {
    const extension = await createRunExtension(servers, place)
    await removeStaleExtensions(place)
    const name = extension.args.at(-1)!
    expect(await filesBelow(extensions)).toHaveLength(4)
    await writeInto(extensions, `${name}/remora-owner.json`, '{"pid":999999999}')
    // A run that disabled its extension long ago and never created it has died in between.
    await switchOff(enablementFile(place), 'remora-run-dead')
    await utimes(enablementFile(place), 0, 0)
    await removeStaleExtensions(place)
    expect(await filesBelow(extensions)).toEqual([])
  })
})
