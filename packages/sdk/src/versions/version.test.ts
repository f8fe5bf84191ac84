import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atLeast, compareVersions, findVersion } from './version.ts'

describe('compareVersions', () => {
  it('orders as semver does', () => {
    const ordered = [
      '0.9.9',
      '0.10.0-alpha',
      '0.10.0-alpha.1',
      '0.10.0-alpha.beta',
      '0.10.0-beta.2',
      '0.10.0-beta.11',
      '0.10.0-rc.1',
      '0.10.0',
      '0.10.1-nightly.20260909.ged2ac40df',
      '0.10.1',
      '1.0.0',
    ]
    expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
  })

  it('ignores a leading v and build metadata', () => {
    expect(compareVersions('v1.2.3', '1.2.3+build.7')).toBe(0)
  })

  it('is antisymmetric', () => {
    const number = fc.nat(30)
    const version = fc
      .tuple(number, number, number, fc.option(fc.stringMatching(/^[a-z0-9]{1,3}(\.[a-z0-9]{1,3})?$/)))
      .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre === null ? '' : `-${pre}`}`)
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(compareVersions(a, b) + compareVersions(b, a)).toBe(0)
      }),
    )
  })
})

describe('atLeast', () => {
  it.each([
    ['0.33.0', true],
    ['0.32.9', false],
    ['0.33.0-nightly.1', false],
    ['0.100.0', true],
    [undefined, true],
  ])('%s is 0.33.0 or later: %s', (version, expected) => {
    expect(atLeast(version, '0.33.0')).toBe(expected)
  })
})

describe('findVersion', () => {
  it.each([
    ['codex-cli 0.166.0\n', '0.166.0'],
    ['2.1.197 (Claude Code)', '2.1.197'],
    ['v0.61.0-nightly.20260909.ged2ac40df', '0.61.0-nightly.20260909.ged2ac40df'],
    ['no version here', undefined],
    ['20.1', undefined],
  ])('%j gives %s', (text, expected) => {
    expect(findVersion(text)).toBe(expected)
  })
})
