import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from './paths.mjs'
import { SoakResults, readParts } from './soak.mjs'

describe('the parts of a soak', () => {
  it('are projects, or the projects of the tests in a path', () => {
    expect(readParts([], root)).toEqual([['unit', []]])
    expect(readParts(['real', 'web'], root)).toEqual([
      ['real', []],
      ['web', []],
    ])
    const file = 'packages/server/src/fleet/fleet.test.ts'
    expect(readParts([file], root)).toEqual([['unit', [join(root, file)]]])
    const projects = readParts(['packages/server/src/fleet'], root).map(([project]) => project)
    expect(new Set(projects)).toEqual(new Set(['real', 'unit']))
    expect(readParts(['apps/web/test'], root).map(([project]) => project)).toEqual(['web'])
  })

  it('cover the whole project if both the project and one of its files are named', () => {
    expect(readParts(['unit', 'packages/server/src/fleet/fleet.test.ts'], root)).toEqual([['unit', []]])
  })

  it('must exist and contain tests', () => {
    expect(() => readParts(['nothing'], root)).toThrow(/Unknown part or file: nothing/)
    expect(() => readParts(['docs'], root)).toThrow(/No tests/)
  })
})

describe('the results of a soak', () => {
  let folder = ''
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'soak-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  it('add up over runs and soaks, with quiet and loaded runs counted separately', () => {
    const file = join(folder, 'deep', 'soak.json')
    const run = (failed) => ({ failed: Number(failed), tests: [{ name: 'a > b', failed }] })
    const first = new SoakResults(file, 0)
    first.add(run(false))
    first.add(run(true))
    expect(first.failed).toBe(1)
    expect(first.summarize()).toContain('1 of 2  a > b')
    new SoakResults(file, 6).add(run(false))
    new SoakResults(file, 0).add(run(false))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      'a > b': { quiet: { failed: 1, runs: 3 }, 'load 6': { failed: 0, runs: 1 } },
    })
  })

  it('count a failure outside of tests, such as a crash of the runner', () => {
    const results = new SoakResults(join(folder, 'soak.json'), 0)
    results.add({ failed: 1, tests: [] })
    expect(results.failed).toBe(1)
    expect(results.summarize()).toContain('1 failures')
  })
})
