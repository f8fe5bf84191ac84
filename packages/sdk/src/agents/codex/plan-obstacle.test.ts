import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allowsCommands, findPlanObstacle } from './plan-obstacle.ts'

it.each([
  ['prefix_rule(pattern=["touch"], decision="allow")', true],
  ['prefix_rule(pattern=["touch"])', true],
  ['prefix_rule(pattern=["rm"], decision = "forbidden")\nprefix_rule(\n  pattern=["touch"],\n)', true],
  ['prefix_rule(pattern=["rm"], decision="prompt")', false],
  ['# prefix_rule(pattern=["touch"])', false],
  ['', false],
])('finds whether rules allow commands: %j', (rules, allows) => {
  expect(allowsCommands(rules)).toBe(allows)
})

it('finds rules of the user and of the folders above the project', async () => {
  const home = await mkdtemp(join(tmpdir(), 'remora-rules-'))
  const place = { home, env: {}, cwd: join(home, 'work', 'deep') }
  const write = async (folder: string) => {
    await mkdir(join(home, folder), { recursive: true })
    await writeFile(join(home, folder, 'default.rules'), 'prefix_rule(pattern=["touch"])\n')
  }
  try {
    expect(await findPlanObstacle(place)).toBeUndefined()
    await write('work/.codex/rules')
    expect((await findPlanObstacle(place))?.message).toContain(
      join('work', '.codex', 'rules', 'default.rules'),
    )
    await write('.codex/rules')
    expect((await findPlanObstacle({ ...place, cwd: home }))?.code).toBe('plan_not_read_only')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
