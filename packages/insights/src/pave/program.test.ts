import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compileRules } from '../alias/compile.ts'
import { paveFiles, paveProgram } from './program.ts'
import type { PaveRules } from './rules.ts'

const agent = {
  id: 'gemini',
  dialect: 'tool-input',
  tools: (tool: string) => [tool],
  params: (param: string) => [param],
} as const
const createdAt = '2026-01-01T00:00:00.000Z'
const payload = { hook_event_name: 'BeforeTool', tool_name: 'Bash', tool_input: { command: 'pip list' } }
const pip = compileRules([{ kind: 'command', from: 'pip', to: 'pip3', createdAt }], [agent])

/** Starts the hook as a CLI does, in a folder with its rules. */
async function start(
  rules: PaveRules | string | undefined,
  input: string,
  { end = true, id = 'gemini' } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'remora pave '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(paveProgram(), join(folder, paveFiles.program))
  if (rules !== undefined)
    writeFileSync(join(folder, paveFiles.rules), typeof rules === 'string' ? rules : JSON.stringify(rules))
  const child = spawn(process.execPath, [join(folder, paveFiles.program), id], { cwd: '/' })
  onTestFinished(() => void child.kill())
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdin.write(input)
  if (end) child.stdin.end()
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as unknown
}

it('needs no file except its rules', () => {
  const text = readFileSync(paveProgram(), 'utf8')
  expect(text).not.toMatch(/^\s*(import\b|export\b.*\bfrom\s*['"])/m)
  expect(text).not.toMatch(/\b(require|import)\(/)
})

it('corrects a call', async () => {
  expect(await start(pip, JSON.stringify(payload))).toEqual({
    hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { command: 'pip3 list' } },
  })
})

// Twenty-eight characters keep this expression busy for seconds, and each additional one doubles the time.
const wild = compileRules([{ kind: 'regex', from: '(a+)+$', to: 'b', createdAt }], [agent])
const long = { ...payload, tool_input: { command: `${'a'.repeat(60)}!` } }

it.each<[string, Parameters<typeof start>]>([
  ['there are no rules', [undefined, JSON.stringify(payload)]],
  ['the rules are broken', ['{"agents":', JSON.stringify(payload)]],
  ['the rules are of another kind', ['{"agents":{"gemini":[]}}', JSON.stringify(payload)]],
  ['the payload is broken', [pip, '{"tool_name":']],
  ['the payload is empty', [pip, '']],
  ['the payload never ends', [pip, JSON.stringify(payload), { end: false }]],
  ['the agent is not known', [pip, JSON.stringify(payload), { id: 'constructor' }]],
  ['an expression runs wild', [wild, JSON.stringify(long)]],
])('lets the call run as it is where %s', async (_, words) => {
  expect(await start(...words)).toEqual({})
})
