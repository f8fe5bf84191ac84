import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from '@remora/scripted-model'
import type { Mode } from '@remora/sdk'
import { expect, it } from 'vitest'
import { launch } from '../../../../../testkit/src/launch.ts'
import { setStage } from '../../agents/hooks/stage.test-data.ts'

interface Wanted {
  readonly calls: Scenario['turns'][number][number]['tools']
  readonly aliases: readonly (readonly string[])[]
  readonly mode?: Mode
  readonly args?: readonly string[]
}

/** One turn of a real CLI with our hook: the files that it wrote, and the last request to the model. */
async function paved(agent: string, { calls, aliases, mode, args = [] }: Wanted) {
  const turns = [[{ tools: calls }, { text: 'Done.' }]]
  const scenario = {
    name: 'pave',
    title: 'Calls',
    prompt: 'Go.',
    turns,
    ...(mode ? { mode } : {}),
  } as Scenario
  const { model, home, remora } = await setStage(agent, scenario)
  for (const words of aliases) await remora('alias', ...words)
  await remora('pave', '--hook', '--agent', agent)
  await using run = await launch(agent, {
    home,
    model,
    scenario,
    extraArgs: [...home.hookArguments, ...args],
  })
  const written = (name: string) => readFileSync(join(home.cwd, name), 'utf8')
  const files = await run.files()
  const stats = JSON.parse(await remora('desires', 'stats', '--json')) as object
  return { files, request: JSON.stringify(run.requests.at(-1)), written, stats }
}

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'Runs' } })
const aliases = [
  ['produce', 'echo', '--replace'],
  ['--cmd', 'tee', '--flag', 'append,-a'],
]
const line = 'echo one > log; produce two "produce --append" | tee --append log'

it('corrects Gemini’s commands, and refuses a tool with a reason', async () => {
  const { files, request, written, stats } = await paved('gemini', {
    mode: 'bypassPermissions',
    calls: [bash(line), { name: 'Glob', input: { pattern: '*' } }],
    aliases: [...aliases, ['Glob', 'Grep', '--message', 'The disk is slow.']],
  })
  expect(files).toEqual(['log'])
  expect(written('log')).toBe('one\ntwo produce --append\n')
  expect(request).toContain('Use the tool grep_search instead of this one. The disk is slow.')
  expect(stats).toMatchObject({ calls: 2, failed: 0, corrected: 1 })
})

it('corrects Claude’s commands, and informs it', async () => {
  const { files, request, written } = await paved('claude', {
    mode: 'bypassPermissions',
    calls: [bash(line)],
    aliases,
  })
  expect(files).toEqual(['log'])
  expect(written('log')).toBe('one\ntwo produce --append\n')
  expect(request).toContain('Remora corrected this call before it ran')
})

it('refuses a tool of Claude without counting a failure', async () => {
  const { request, stats } = await paved('claude', {
    mode: 'bypassPermissions',
    calls: [{ name: 'Read', input: { file_path: 'a.txt' } }],
    aliases: [['Read', 'Bash']],
  })
  expect(request).toContain('Use the tool Bash instead of this one.')
  expect(stats).toMatchObject({ calls: 1, failed: 0, corrected: 1 })
})

it('lets Claude ask about the corrected call as about any other', async () => {
  const wanted = { calls: [bash('make-file one')], aliases: [['make-file', 'touch', '--replace']] }
  // Headless runs deny approval requests, and only the original command is allowed, so the corrected one does not run.
  expect((await paved('claude', wanted)).files).toEqual([])
  expect((await paved('claude', { ...wanted, args: ['--allowedTools', 'Bash(make-file:*)'] })).files).toEqual(
    [],
  )
  expect((await paved('claude', { ...wanted, args: ['--allowedTools', 'Bash(touch:*)'] })).files).toEqual([
    'one',
  ])
})

it('refuses a call of Codex, and suggests another', async () => {
  const { files, request, stats } = await paved('codex', {
    mode: 'bypassPermissions',
    calls: [bash(line)],
    aliases,
  })
  expect(files).toEqual([])
  expect(request).toContain('Call it again with command: echo one > log; echo two')
  expect(stats).toMatchObject({ calls: 1, failed: 0, corrected: 1 })
})
