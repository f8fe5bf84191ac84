import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createContext } from './context.test-data.ts'
import { guessLanguage } from './language.ts'
import { createFilesRoutes } from '../http/routes/files.ts'
import { Uploads } from './uploads.ts'
import { isSecretPath } from './secret-paths.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('files', () => {
  it('are shown as folders, text lines, images or binary files', async () => {
    await using test = await createContext()
    const project = join(test.home, 'project')
    mkdirSync(join(project, 'src'), { recursive: true })
    writeFileSync(join(project, 'a.ts'), 'one\ntwo\nthree\nfour\n')
    writeFileSync(join(project, 'picture.dat'), png)
    writeFileSync(join(project, 'x.bin'), Buffer.from([0, 1, 2]))
    symlinkSync('a.ts', join(project, 'link'))
    const routes = createFilesRoutes(test.context)
    const view = (path: string, more = '') =>
      test.request(routes, `/api/files?path=${encodeURIComponent(path)}${more}`).then(({ body }) => body)

    expect(await view(project)).toMatchObject({
      kind: 'folder',
      parent: test.home,
      more: 0,
      entries: [
        { name: 'src', kind: 'folder' },
        { name: 'a.ts', kind: 'file', size: 19 },
        { name: 'link', kind: 'file', link: true },
        { name: 'picture.dat', kind: 'file' },
        { name: 'x.bin', kind: 'file' },
      ],
    })
    // The parent of the home is not allowed.
    expect(await view(test.home)).not.toHaveProperty('parent')
    expect(await view(join(project, 'a.ts'), '&from=2&count=2')).toMatchObject({
      kind: 'text',
      language: 'typescript',
      from: 2,
      text: 'two\nthree',
      lines: 4,
      size: 19,
    })
    expect(await view(join(project, 'link'))).toMatchObject({ path: join(project, 'a.ts') })
    expect(await view(join(project, 'picture.dat'))).toMatchObject({ kind: 'image', mediaType: 'image/png' })
    expect(await view(join(project, 'x.bin'))).toMatchObject({ kind: 'binary', size: 3 })
    expect(await view(join(project, 'none'))).toMatchObject({ error: { code: 'not_found' } })
    expect(await view(join(project, 'a.ts'), '&from=0')).toMatchObject({ error: { code: 'usage' } })
    expect((await test.request(routes, '/api/files/roots')).body).toEqual({
      roots: [test.home],
      home: test.home,
    })
  })

  it('of a session are shown while it runs, and not after', async () => {
    await using test = await createContext()
    const elsewhere = join(test.home, '../elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'a.txt'), 'text')
    const routes = createFilesRoutes(test.context)
    const status = async () =>
      (await test.request(routes, `/api/files?path=${encodeURIComponent(join(elsewhere, 'a.txt'))}`)).status
    expect(await status()).toBe(403)
    test.live({ id: 'l-1', cwd: elsewhere })
    expect(await status()).toBe(200)
    test.live({ id: 'l-1', state: 'ended' })
    expect(await status()).toBe(403)
  })

  it('have a language by name, extension or interpreter', () => {
    expect(guessLanguage('/x/Dockerfile', '')).toBe('dockerfile')
    expect(guessLanguage('/x/A.PY', '')).toBe('python')
    expect(guessLanguage('/x/run', '#!/usr/bin/env node\n')).toBe('javascript')
    expect(guessLanguage('/x/run', '#!/bin/sh\n')).toBe('shellscript')
    expect(guessLanguage('/x/unknown', 'text')).toBeUndefined()
    expect(guessLanguage('/x/constructor', 'text')).toBeUndefined()
  })
})

describe('uploads', () => {
  it('are stored for prompts, listed, downloaded and deleted', async () => {
    await using test = await createContext()
    const routes = createFilesRoutes(test.context)
    const { body } = await test.request(routes, '/api/uploads?name=screen.png', {
      method: 'POST',
      body: new Uint8Array(png),
      headers: { 'content-type': 'image/png' },
    })
    expect(body).toMatchObject({
      name: 'screen.png',
      kind: 'image',
      mediaType: 'image/png',
      block: {
        type: 'image',
        name: 'screen.png',
        source: { type: 'file', media_type: 'image/png', path: body.path },
      },
    })
    const note = await test.request(routes, '/api/uploads?name=note.md', {
      method: 'POST',
      body: new Uint8Array(Buffer.from('# Ünicode')),
      headers: { 'content-type': 'text/markdown' },
    })
    expect(note.body).toMatchObject({ kind: 'document', mediaType: 'text/markdown' })
    expect((await test.request(routes, '/api/uploads')).body.uploads).toHaveLength(2)
    const back = await test.request(routes, `/api/uploads/${body.id}`)
    expect(back.headers.get('content-type')).toBe('image/png')
    expect((await test.request(routes, `/api/uploads/${body.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(existsSync(body.path)).toBe(false)
    expect((await test.request(routes, `/api/uploads/${body.id}`)).status).toBe(404)
  })

  it('expire after a week, and are limited in total', async () => {
    await using test = await createContext()
    let now = Date.now()
    const uploads = new Uploads({ ...test.context, maxTotal: 40, now: () => now })
    const first = await uploads.add({ name: 'a.png', bytes: png })
    await uploads.add({ name: 'b.png', bytes: png })
    await expect(uploads.add({ name: 'c.png', bytes: png })).rejects.toMatchObject({ code: 'quota' })
    now += 8 * 24 * 3_600_000
    expect(await uploads.clean()).toBe(2)
    expect(existsSync(first.path)).toBe(false)
    expect(await uploads.list()).toEqual([])
  })
})

describe('a file that may contain secrets', () => {
  it.each([
    '.local/share/fish/fish_history',
    '.claude.json',
    '.claude.json.backup',
    '.claude/backups/.claude.json.backup.1794820291113',
    '.config/gh/hosts.yml',
    '.config/chromium/Default/Cookies',
    'Library/Application Support/Google/Chrome/Default/Login Data',
    'snap/firefox/common/x',
    '.config/Code/User/globalStorage/state.vscdb',
    'project/prod.env',
    'project/terraform.tfstate.backup',
    '.remora/vapid.json',
    '.remora/ledger.db',
    '.remora/certificates/ca.key',
  ])('%s is known by its name', (path) => {
    expect(isSecretPath(`/home/ann/${path}`)).toBe(true)
  })

  it.each([
    'project/src/signal/hub.ts',
    'project/gh/age.ts',
    'project/.env.example',
    'project/environment.ts',
    '.config/nvim/init.lua',
    '.remora/worktrees/project-4f2a/fix/readme.md',
    '.remora/uploads/picture.png',
  ])('%s is none', (path) => {
    expect(isSecretPath(`/home/ann/${path}`)).toBe(false)
  })
})
