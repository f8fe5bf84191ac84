import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claude } from './index.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-claude-hooks-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

// Each case was verified with the CLI.
it.each<[string, Record<string, string>, Record<string, string>, string[]]>([
  ['nothing said', {}, {}, []],
  ['all off', { '.claude/settings.json': '{"disableAllHooks": true}' }, {}, ['hooks_off']],
  [
    'all off for the user, and on again for the project',
    {
      '.claude/settings.json': '{"disableAllHooks": true}',
      'work/.claude/settings.local.json': '{"disableAllHooks": false}',
    },
    {},
    [],
  ],
  ['a comment', { '.claude/settings.json': '// mine\n{}' }, {}, ['bad_settings']],
  ['a comma too many', { '.claude/settings.json': '{"a": 1,}' }, {}, ['bad_settings']],
  ['a byte order mark', { '.claude/settings.json': '\uFEFF{"a": 1}' }, {}, []],
  ['its safe mode', {}, { CLAUDE_CODE_SAFE_MODE: '1' }, ['hooks_off']],
  ['its safe mode off', {}, { CLAUDE_CODE_SAFE_MODE: '0' }, []],
])('reports disabled hooks for %s', async (_, files, env, codes) => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), text)
  }
  const place = { home, cwd: join(home, 'work'), env }
  const problems = await claude.hooks.obstacles!(place, [join(home, '.claude/settings.json')])
  expect(problems.map(({ code }) => code)).toEqual(codes)
  // A hook keeps plan mode read-only.
  const refused = codes.includes('hooks_off') ? 'plan_not_read_only' : undefined
  expect((await claude.terminal.planObstacle!(place))?.code).toBe(refused)
  expect((await claude.acp.planObstacle!(place))?.code).toBe(refused)
  const planning = claude.headless.prepare!({ mode: 'plan', prompt: 'x' }, place).then(() => undefined)
  expect(await planning.catch(({ code }: { code: string }) => code)).toBe(refused && 'unsupported')
})
