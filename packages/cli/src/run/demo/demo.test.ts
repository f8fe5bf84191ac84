import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Io } from '../../command/io.ts'
import { findGemini } from './find-gemini.ts'
import { prepareDemo } from './prepare-demo.ts'
import { demoFile } from './scenario.ts'

let home = ''
let printed = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remora-demo-'))
  printed = ''
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function io(answer?: string): Io {
  return {
    env: { PATH: `${join(home, 'bin')}:/usr/bin:/bin`, HOME: home },
    cwd: home,
    home,
    platform: process.platform,
    terminal: false,
    out: () => {},
    err: (text) => void (printed += text),
    ...(answer === undefined
      ? {}
      : { stdin: { terminal: true, read: async () => '', readLine: async () => answer } }),
  }
}

function put(path: string, text: string, mode = 0o644): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

const folder = (): string => join(home, '.remora', 'demo')

/** Installs a fake npm that runs `work`. */
const npm = (work: string): string =>
  put('bin/npm', `#!/bin/sh\necho "$@" > '${home}/npm-words'\n${work}\n`, 0o755)
const installing = `mkdir -p node_modules/@google/gemini-cli node_modules/.bin
echo '{"name":"@google/gemini-cli","version":"0.61.0","bin":{"gemini":"g.js"}}' > node_modules/@google/gemini-cli/package.json
echo '#!/usr/bin/env node' > node_modules/@google/gemini-cli/g.js; chmod +x node_modules/@google/gemini-cli/g.js
ln -s ../@google/gemini-cli/g.js node_modules/.bin/gemini`

it('installs nothing without confirmation', async () => {
  npm(installing)
  await expect(findGemini(folder(), false, io())).rejects.toMatchObject({
    code: 'agent_missing',
    hint: 'Pass --yes to confirm: remora demo --yes',
  })
  await expect(findGemini(folder(), false, io('n'))).rejects.toMatchObject({ code: 'aborted' })
  expect(printed).toContain('~/.remora/demo')
  expect(existsSync(join(home, 'npm-words'))).toBe(false)
})

it('installs it after confirmation, and finds it the next time', async () => {
  npm(installing)
  const found = await findGemini(folder(), false, io('y'))
  expect(found).toEqual({ path: join(folder(), 'node_modules/.bin/gemini'), version: '0.61.0' })
  expect(readFileSync(join(home, 'npm-words'), 'utf8')).toContain('@google/gemini-cli@0.61.0')
  rmSync(join(home, 'npm-words'))
  expect(await findGemini(folder(), false, io())).toEqual(found)
  expect(existsSync(join(home, 'npm-words'))).toBe(false)
})

it('reports why npm failed', async () => {
  npm('echo "npm error network timeout" >&2; exit 1')
  await expect(findGemini(folder(), true, io())).rejects.toMatchObject({
    code: 'network',
    message: 'npm could not install Gemini CLI: npm error network timeout',
  })
})

it("reports npm's own reason, not the path of its log", async () => {
  npm(
    'printf "npm error code ENOTFOUND\\nnpm error network no such host\\nnpm error A complete log of this run can be found in: x\\n" >&2; exit 1',
  )
  await expect(findGemini(folder(), true, io())).rejects.toMatchObject({
    message: 'npm could not install Gemini CLI: npm error network no such host',
    hint: expect.stringContaining('npm registry'),
  })
})

it('reports the download, and prints a hint if npm is missing', async () => {
  npm(installing)
  const reports: unknown[] = []
  await findGemini(folder(), true, io(), (size) => reports.push(size))
  await findGemini(folder(), true, io(), (size) => reports.push(size))
  expect(reports).toEqual([{ megabytes: 100, usualSeconds: 20 }])
  rmSync(folder(), { recursive: true })
  put('bin/npm', '#!/nowhere/at/all\n', 0o755)
  await expect(findGemini(folder(), true, io())).rejects.toMatchObject({
    code: 'agent_missing',
    message: 'npm installs Gemini CLI, and npm is not in PATH',
  })
})

it('uses an installed Gemini CLI', async () => {
  put('npm/@google/gemini-cli/package.json', '{"name":"@google/gemini-cli","version":"0.60.1"}')
  const path = put('npm/@google/gemini-cli/gemini', '#!/bin/sh\n', 0o755)
  const where = io()
  expect(
    await findGemini(folder(), false, { ...where, env: { ...where.env, GEMINI_CLI_PATH: path } }),
  ).toEqual({
    path,
    version: '0.60.1',
  })
})

it('starts from scratch each time, outside the user’s home', async () => {
  const first = await prepareDemo(folder(), { path: '/usr/bin/gemini', version: '0.61.0' })
  const file = join(first.cwd, demoFile.name)
  writeFileSync(file, 'changed')
  expect(await prepareDemo(folder(), { path: '/usr/bin/gemini', version: '0.61.0' })).toEqual(first)
  expect(readFileSync(file, 'utf8')).toBe(demoFile.content)
  expect(first.home.startsWith(folder())).toBe(true)
  expect(JSON.parse(readFileSync(join(folder(), 'spec.json'), 'utf8'))).toEqual(first)
  expect(existsSync(join(home, '.gemini'))).toBe(false)
})
