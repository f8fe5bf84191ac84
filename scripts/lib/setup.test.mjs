import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compilerHint } from './compiler.mjs'
import { installCommand } from './find-program.mjs'
import { npmEnvironment } from './npm.mjs'
import { contentPrint, quickPrint, stampFile } from './stamp.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-setup-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the Node version', () => {
  it.each([
    ['18.20.8', 1],
    ['20.18.3', 1],
    ['20.19.0', 0],
    ['22.1.0', 0],
  ])('%s ends with %i', (version, expected) => {
    const script = `import { checkNodeVersion } from ${moduleText('node-version.mjs')}; checkNodeVersion('${version}')`
    const { status, stderr } = evaluate(script, process.env)
    expect(status).toBe(expected)
    expect(stderr.includes(`Remora needs Node 20.19 or newer; this is Node ${version}`)).toBe(expected === 1)
  })
})

describe('programs', () => {
  it('names the missing ones if apt-get is unavailable', () => {
    const { stderr, status } = ensurePrograms(folder)
    expect(stderr).toContain(
      'The tests need tmux and busybox and chromium and postgresql, not found on PATH.',
    )
    expect(stderr).toContain('Install with:')
    expect(status).toBe(1)
  })

  it('accepts any Chromium browser', () => {
    for (const name of ['tmux', 'busybox', 'google-chrome', 'initdb']) putProgram(folder, name)
    expect(ensurePrograms(folder)).toMatchObject({ stderr: '', status: 0 })
  })

  it("finds a PostgreSQL server in Debian's folder, which is not on PATH", () => {
    for (const name of ['tmux', 'busybox', 'chromium']) putProgram(folder, name)
    const bin = join(folder, 'servers', '15', 'bin')
    mkdirSync(bin, { recursive: true })
    expect(ensurePrograms(folder).stderr).toContain('The tests need postgresql, not found')
    putProgram(bin, 'initdb')
    expect(ensurePrograms(folder)).toMatchObject({ stderr: '', status: 0 })
  })

  it('names the install command of the system', () => {
    const only = (name) => (asked) => (asked === name ? `/bin/${name}` : undefined)
    expect(installCommand(['tmux'], only('apt-get'))).toBe(
      'sudo apt-get update && sudo apt-get install -y tmux',
    )
    expect(installCommand(['tmux'], only('brew'))).toBe('brew install tmux')
  })
})

describe('npm', () => {
  it('uses the Node headers that are installed beside Node', () => {
    expect(npmEnvironment({}, folder)).toEqual({})
    mkdirSync(join(folder, 'include', 'node'), { recursive: true })
    writeFileSync(join(folder, 'include', 'node', 'node.h'), '')
    expect(npmEnvironment({}, folder)).toEqual({ npm_config_nodedir: folder })
    expect(npmEnvironment({ npm_config_nodedir: '/own' }, folder)).toEqual({ npm_config_nodedir: '/own' })
  })

  it("keeps the user's settings but not those of the outer run", () => {
    const env = {
      npm_config_registry: 'r',
      npm_lifecycle_event: 'start',
      npm_package_name: 'x',
      PATH: '/bin',
    }
    expect(npmEnvironment(env, folder)).toEqual({ npm_config_registry: 'r', PATH: '/bin' })
  })

  it('mentions a compiler only after a failed build', () => {
    const log = join(folder, 'log')
    writeFileSync(log, 'npm error network ENOTFOUND')
    expect(compilerHint(log)).toMatch(/registry/)
    writeFileSync(log, 'npm error gyp ERR! find Python')
    expect(compilerHint(log)).toMatch(/native module/)
    expect(compilerHint(log, () => undefined)).toMatch(
      /c\+\+, make, python3 is missing. Install it with: .*\nNode 22\.16 or newer needs no compiler/,
    )
  })
})

describe('stamps', () => {
  it('fit until an input changes', () => {
    const input = join(folder, 'input')
    writeFileSync(input, 'one')
    const stamp = stampFile(join(folder, 'deep', 'stamp'))
    const [content, quick] = [contentPrint([input]), quickPrint([input])]
    expect(stamp.fits(content)).toBe(false)
    stamp.write(content)
    expect(stamp.fits(content)).toBe(true)
    writeFileSync(input, 'three')
    expect(stamp.fits(contentPrint([input]))).toBe(false)
    expect(quickPrint([input])).not.toBe(quick)
    stamp.clear()
    expect(stamp.fits(content)).toBe(false)
    expect(contentPrint([input], { native: true })).not.toBe(contentPrint([input]))
  })
})

/** Checks the programs in a process whose PATH is one folder. */
function putProgram(folder, name) {
  writeFileSync(join(folder, name), '#!/bin/sh\n')
  chmodSync(join(folder, name), 0o755)
}

function ensurePrograms(path) {
  const servers = JSON.stringify(join(path, 'servers'))
  const script = `
    import { ensurePrograms } from ${moduleText('programs.mjs')}
    import { printFailure } from ${moduleText('setup-error.mjs')}
    await ensurePrograms({ servers: ${servers} }).catch((error) => { printFailure(error); process.exitCode = 1 })`
  return evaluate(script, { PATH: path })
}

function evaluate(script, env) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' })
}

function moduleText(name) {
  return JSON.stringify(new URL(name, import.meta.url).href)
}
