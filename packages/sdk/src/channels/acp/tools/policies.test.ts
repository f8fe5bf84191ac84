import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allowOnly, inOrder, readBeforeWrite, refusal } from './policies.ts'
import type { ToolCall } from './tool-rules.ts'

let cwd: string

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'remora-policies-'))
  await writeFile(join(cwd, 'old.txt'), 'old')
  await symlink('old.txt', join(cwd, 'link.txt'))
})

afterAll(() => rm(cwd, { recursive: true, force: true }))

const call = (name: string, files: Partial<ToolCall> = {}): ToolCall => ({
  name,
  input: {},
  reads: [],
  writes: [],
  ...files,
})

describe('readBeforeWrite', () => {
  const about = (writes: string[], ...earlier: ToolCall[]) =>
    refusal([readBeforeWrite()], call('write', { writes }), earlier, cwd)

  it('requires reading existing files first', async () => {
    expect(await about(['old.txt'])).toBe('Read old.txt before you write it.')
    expect(await about(['new.txt'])).toBeUndefined()
    expect(await about(['new.txt', './old.txt'])).toBe('Read ./old.txt before you write it.')
    expect(await about(['old.txt/below'])).toBeUndefined()
    expect(await about([])).toBeUndefined()
  })

  it('recognizes a file by any of its names, read or written before', async () => {
    expect(await about(['old.txt'], call('read', { reads: ['./x/../old.txt'] }))).toBeUndefined()
    expect(await about(['old.txt'], call('read', { reads: [join(cwd, 'old.txt')] }))).toBeUndefined()
    expect(await about(['link.txt'], call('read', { reads: ['old.txt'] }))).toBeUndefined()
    expect(await about(['old.txt'], call('write', { writes: ['old.txt'] }))).toBeUndefined()
    expect(await about(['old.txt'], call('read', { reads: ['other.txt'] }))).toContain('Read old.txt')
  })
})

describe('inOrder', () => {
  const about = (name: string, ...earlier: string[]) =>
    refusal(
      [inOrder('plan', 'build', 'publish')],
      call(name),
      earlier.map((each) => call(each)),
      cwd,
    )

  it('requires all tools before', async () => {
    expect(await about('plan')).toBeUndefined()
    expect(await about('build', 'plan')).toBeUndefined()
    expect(await about('plan', 'plan', 'build')).toBeUndefined()
    expect(await about('other')).toBeUndefined()
    expect(await about('build')).toBe('Call plan before build.')
    expect(await about('publish')).toBe('Call plan, then build before publish.')
    expect(await about('publish', 'build')).toBe('Call plan before publish.')
  })

  it('requires at least two tools', () => {
    expect(() => inOrder('plan')).toThrow('two or more')
    expect(() => inOrder('plan', 'plan')).toThrow('different')
  })
})

describe('allowOnly', () => {
  it('refuses other tools', async () => {
    expect(await refusal([allowOnly('a', 'b')], call('a'), [], cwd)).toBeUndefined()
    expect(await refusal([allowOnly('a', 'b')], call('c'), [], cwd)).toBe(
      'c is not allowed now. Allowed: a, b.',
    )
    expect(await refusal([allowOnly()], call('c'), [], cwd)).toContain('none')
  })
})

describe('several policies', () => {
  it('refuse if one of them refuses or fails', async () => {
    const broken = () => {
      throw new Error('No database')
    }
    expect(await refusal([allowOnly('a'), broken], call('a'), [], cwd)).toBe(
      'A rule about a failed: No database',
    )
    const rejecting = () => Promise.reject(new Error('Late'))
    expect(await refusal([rejecting], call('a'), [], cwd)).toBe('A rule about a failed: Late')
    expect(await refusal([allowOnly('a'), allowOnly('b')], call('a'), [], cwd)).toContain('Allowed: b')
    expect(await refusal([], call('a'), [], cwd)).toBeUndefined()
  })
})
