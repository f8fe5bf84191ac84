import { describe, expect, it } from 'vitest'
import { checkPermissions } from './check-permissions.ts'
import type { Permissions } from './rules.ts'

describe('checkPermissions', () => {
  it.each([
    'allow',
    'auto',
    { rules: [{ decide: 'allow', command: 'npm *' }], otherwise: 'allow' },
    'deny',
    'ask',
    { rules: [] },
    { rules: [{ decide: 'deny' }], otherwise: 'auto' },
    { rules: [{ decide: 'auto', tool: 'Edit', kind: 'edit', path: 'src/**/*.{ts,tsx}' }] },
    {
      rules: [
        { decide: 'auto', command: 'npm test && npm run lint' },
        { decide: 'ask', kind: '_own' },
      ],
    },
    { rules: [{ decide: 'auto', command: /^a; b$/, path: '/tmp/**' }] },
    { rules: [{ decide: 'deny', command: '*;*' }] },
  ] satisfies Permissions[])('takes %j', (permissions) => {
    expect(() => checkPermissions(permissions)).not.toThrow()
  })

  it.each([
    [undefined, 'Permissions'],
    ['always', 'always'],
    [[], 'Permissions'],
    [{ rules: {} }, 'Permissions'],
    [{ rules: [], else: 'deny' }, 'else'],
    [{ rules: [], otherwise: 'yes' }, 'yes'],
    [{ rules: [{ decide: 'auto' }, 'Edit'] }, 'rule 2'],
    [{ rules: [{}] }, 'rule 1'],
    [{ rules: [{ decide: 'yes' }] }, "decide: 'yes'"],
    [{ rules: [{ decide: 'auto', paths: 'src/**' }] }, 'paths'],
    [{ rules: [{ decide: 'auto', tool: '' }] }, 'tool'],
    [{ rules: [{ decide: 'auto', tool: /Edit/ }] }, 'tool'],
    [{ rules: [{ decide: 'deny', kind: 'write' }] }, 'write'],
    [{ rules: [{ decide: 'auto', path: '../other/**' }] }, '..'],
    [{ rules: [{ decide: 'auto', path: '~/x' }] }, '~'],
    [{ rules: [{ decide: 'auto', path: 'src/**.ts' }] }, '**'],
    [{ rules: [{ decide: 'auto', path: '{a,b}'.repeat(20) }] }, 'alternatives'],
    [{ rules: [{ decide: 'auto', command: 'npm * | tail' }] }, 'npm * | tail'],
  ])('refuses %j and names the field', (permissions, word) => {
    const check = () => checkPermissions(permissions as Permissions)
    expect(check).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringContaining(word) }))
  })
})
