import { execFileSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HeldFolder } from './held-folder.ts'
import { Workspace } from './workspace.ts'

let folder: string
let root: string
let outside: string
beforeEach(async () => {
  folder = await mkdtemp(join(reachable, 'remora-workspace-'))
  root = join(folder, 'work')
  // A name with the workspace's name as prefix.
  outside = join(folder, 'work-secret')
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(root, 'src/a.txt'), 'one\ntwo\r\nthree')
  await writeFile(join(outside, 'key.txt'), 'secret')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (options = {}) => new Workspace(root, { read: true, write: true, ...options })
const code = (code: string) => expect.objectContaining({ code })

/** Root's folder for temporary files may be inaccessible to the user that this test switches to. */
const reachable = process.getuid?.() === 0 ? '/tmp' : tmpdir()

describe('Workspace', () => {
  it('refuses everything that is not allowed', async () => {
    const closed = new Workspace(root)
    await expect(closed.read({ path: join(root, 'src/a.txt') })).rejects.toEqual(code('permission'))
    await expect(closed.write({ path: join(root, 'x'), content: '' })).rejects.toEqual(code('permission'))
    const reader = new Workspace(root, { read: true })
    await expect(reader.write({ path: join(root, 'x'), content: '' })).rejects.toEqual(code('permission'))
    expect(await readdir(root)).toEqual(['src'])
  })

  it.each([
    [{}, 'one\ntwo\r\nthree'],
    [{ line: null, limit: null }, 'one\ntwo\r\nthree'],
    [{ line: 2 }, 'two\r\nthree'],
    [{ line: 2, limit: 1 }, 'two\r\n'],
    [{ limit: 2 }, 'one\ntwo\r\n'],
    [{ line: 0, limit: 1 }, 'one\n'],
    [{ line: 3, limit: 9 }, 'three'],
    [{ line: 9 }, ''],
    [{ limit: 0 }, ''],
  ])('reads the lines %j', async (part, content) => {
    expect(await open().read({ path: join(root, 'src/a.txt'), ...part })).toEqual({ content })
  })

  it.each([{ line: -1 }, { limit: 1.5 }, { line: '2' }])('refuses the lines %j', async (part) => {
    await expect(open().read({ path: join(root, 'src/a.txt'), ...part })).rejects.toEqual(code('input'))
  })

  it('keeps a byte order mark and refuses binary files', async () => {
    await writeFile(join(root, 'mark'), '\ufeffé')
    await writeFile(join(root, 'bytes'), Buffer.from([0x61, 0xff]))
    expect(await open().read({ path: join(root, 'mark') })).toEqual({ content: '\ufeffé' })
    await expect(open().read({ path: join(root, 'bytes') })).rejects.toEqual(code('input'))
  })

  it('creates missing folders of a new file and keeps the permissions of an old one', async () => {
    expect(await open().write({ path: join(root, 'new/deep/b.txt'), content: 'é' })).toEqual({})
    expect(await readFile(join(root, 'new/deep/b.txt'), 'utf8')).toBe('é')
    await chmod(join(root, 'src/a.txt'), 0o751)
    await open().write({ path: join(root, 'src/a.txt'), content: 'new' })
    expect(await readFile(join(root, 'src/a.txt'), 'utf8')).toBe('new')
    expect((await stat(join(root, 'src/a.txt'))).mode & 0o777).toBe(0o751)
    expect(await readdir(join(root, 'src'))).toEqual(['a.txt'])
  })

  it('explains what is wrong with a path', async () => {
    const workspace = open()
    for (const path of [
      'src/a.txt',
      '',
      './x',
      undefined,
      7,
      `${root}/a\0b`,
      root,
      join(root, 'src'),
      `${root}/new/`,
    ]) {
      await expect(workspace.read({ path }), String(path)).rejects.toEqual(code('input'))
      await expect(workspace.write({ path, content: '' }), String(path)).rejects.toEqual(code('input'))
    }
    await expect(workspace.read({ path: join(root, 'none') })).rejects.toEqual(code('not_found'))
    await expect(workspace.read({ path: join(root, 'none/none') })).rejects.toEqual(code('not_found'))
    await expect(workspace.write({ path: join(root, 'src/a.txt/b'), content: '' })).rejects.toEqual(
      code('not_found'),
    )
    await expect(workspace.write({ path: join(root, 'x') })).rejects.toEqual(code('input'))
    expect(await readdir(root)).toEqual(['src'])
  })

  it('refuses outside paths in any spelling', async () => {
    await symlink(outside, join(root, 'out'))
    await symlink(join(outside, 'key.txt'), join(root, 'src/key'))
    await symlink('../work-secret/new', join(root, 'dangling'))
    await symlink('out', join(root, 'twice'))
    const paths = [
      join(outside, 'key.txt'),
      `${root}/../work-secret/key.txt`,
      `${root}/src/../../work-secret/key.txt`,
      `${root}/none/../../work-secret/key.txt`,
      `${root}-secret/key.txt`,
      `${root}/out/key.txt`,
      `${root}/out/../work-secret/key.txt`,
      `${root}/out/../x`,
      `${root}/twice/key.txt`,
      `${root}/out/new/deep/file`,
      `${root}/src/key`,
      `${root}/dangling`,
      '/etc/hostname',
    ]
    for (const path of paths) {
      await expect(open().read({ path }), path).rejects.toEqual(code('permission'))
      await expect(open().write({ path, content: 'taken' }), path).rejects.toEqual(code('permission'))
    }
    expect(await readdir(outside)).toEqual(['key.txt'])
    expect(await readFile(join(outside, 'key.txt'), 'utf8')).toBe('secret')
    expect((await readdir(folder)).toSorted()).toEqual(['work', 'work-secret'])
  })

  it('follows links that stay inside, also in a workspace that is a link', async () => {
    await symlink('src', join(root, 'link'))
    await symlink('src/fresh.txt', join(root, 'later'))
    await symlink(root, join(folder, 'alias'))
    expect(await open().read({ path: join(root, 'link/a.txt'), limit: 1 })).toEqual({ content: 'one\n' })
    await open().write({ path: join(root, 'later'), content: 'through' })
    expect(await readFile(join(root, 'src/fresh.txt'), 'utf8')).toBe('through')
    const alias = new Workspace(join(folder, 'alias'), { read: true })
    expect(await alias.read({ path: join(folder, 'alias/later') })).toEqual({ content: 'through' })
    expect(await alias.read({ path: join(root, 'later') })).toEqual({ content: 'through' })
  })

  it('does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    await expect(open().read({ path: join(root, 'pipe') })).rejects.toEqual(code('permission'))
    await expect(open().write({ path: join(root, 'pipe'), content: 'x' })).rejects.toEqual(code('permission'))
    await expect(new Workspace('/dev', { read: true }).read({ path: '/dev/zero' })).rejects.toEqual(
      code('permission'),
    )
  })

  it('limits the file size', async () => {
    const small = open({ fileBytes: 4 })
    await small.write({ path: join(root, 'four'), content: '1234' })
    expect(await small.read({ path: join(root, 'four') })).toEqual({ content: '1234' })
    await expect(small.write({ path: join(root, 'five'), content: '123é' })).rejects.toEqual(code('input'))
    await expect(small.read({ path: join(root, 'src/a.txt') })).rejects.toEqual(code('input'))
  })

  it('overwrites a file in a folder that accepts no new one', async () => {
    await chmod(join(root, 'src'), 0o555)
    await chmod(join(root, 'src/a.txt'), 0o666)
    await asNobody(() => open().write({ path: join(root, 'src/a.txt'), content: 'short' }))
    expect(await readFile(join(root, 'src/a.txt'), 'utf8')).toBe('short')
    await chmod(join(root, 'src/a.txt'), 0o444)
    await asNobody(async () => {
      const writing = open().write({ path: join(root, 'src/a.txt'), content: 'x' })
      await expect(writing).rejects.toEqual(code('permission'))
    })
    await chmod(join(root, 'src'), 0o755)
  })

  it('never leaves the workspace through any links and folders', async () => {
    await symlink('..', join(root, 'src/up'))
    await symlink(outside, join(root, 'out'))
    await symlink('/', join(root, 'root'))
    const part = fc.constantFrom(
      'src',
      'up',
      'out',
      'root',
      '..',
      '.',
      'key.txt',
      'a.txt',
      'work-secret',
      'work',
      'n',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 7 }), async (parts) => {
        const path = [root, ...parts].join('/')
        const read = await open()
          .read({ path })
          .catch(() => undefined)
        expect(read?.content).not.toBe('secret')
        await open()
          .write({ path, content: 'one' })
          .catch(() => undefined)
        expect(await readdir(outside)).toEqual(['key.txt'])
        expect(await readFile(join(outside, 'key.txt'), 'utf8')).toBe('secret')
        expect((await readdir(folder)).toSorted()).toEqual(['work', 'work-secret'])
      }),
      { numRuns: 100 },
    )
  })

  it('stays inside while a folder alternates with a link', async () => {
    const [real, aside, link] = [join(root, 'src'), join(folder, 'aside'), join(folder, 'link')]
    await writeFile(join(outside, 'a.txt'), 'secret')
    await symlink(outside, link)
    const done = new AbortController()
    const swap = async () => {
      await rename(real, aside)
      // A concurrent write recreates the folder.
      while (!(await moved(link, real))) await rm(real, { recursive: true, force: true })
      await rename(real, link)
      while (!(await moved(aside, real))) await rm(real, { recursive: true, force: true })
    }
    const swapping = (async () => {
      while (!done.signal.aborted) await swap()
    })()
    const seen = new Set<string>()
    for (let round = 0; round < 150; round++) {
      const path = join(real, 'a.txt')
      const { content } = await open()
        .read({ path })
        .catch(() => ({ content: 'refused' }))
      seen.add(content)
      await open()
        .write({ path: join(real, `new-${round}`), content: 'x' })
        .catch(() => undefined)
    }
    done.abort()
    await swapping
    expect(seen).not.toContain('secret')
    expect((await readdir(outside)).toSorted()).toEqual(['a.txt', 'key.txt'])
  })
})

/** Permissions do not apply to root, so the test switches to another user. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act()
  await chmod(folder, 0o755)
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}

async function moved(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    () => false,
  )
}

describe('HeldFolder', () => {
  it('follows no link and notices when it was replaced', async () => {
    await symlink(outside, join(root, 'out'))
    await expect(HeldFolder.hold(root, ['out'])).rejects.toEqual(code('permission'))
    const held = await HeldFolder.hold(root, ['src'])
    await held.check()
    await rename(join(root, 'src'), join(root, 'moved'))
    await symlink(outside, join(root, 'src'))
    await expect(held.check()).rejects.toEqual(code('permission'))
    await held.close()
  })
})
