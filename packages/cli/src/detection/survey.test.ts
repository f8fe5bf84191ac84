import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../main.ts'
import type { Finding } from './survey.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-cli-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function remora(words: string[], env: Record<string, string>): Promise<string> {
  let out = ''
  await main(words, {
    env: { PATH: join(home, 'bin'), HOME: home, ...env },
    cwd: home,
    home,
    platform: 'linux',
    terminal: false,
    out: (text) => void (out += text),
    err: (text) => void (out += text),
  })
  return out
}

/** Installs a program that detection accepts: an executable inside its npm package. */
async function install(name: string, version: string): Promise<string> {
  const folder = join(home, 'npm', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version }))
  const file = join(folder, 'index.js')
  await writeFile(file, '#!/usr/bin/env node\n')
  await chmod(file, 0o755)
  return file
}

describe('a version outside of the tested range', () => {
  const message = /Claude Code 9\.9\.9: newer than the tested \d+\.\d+\.\d+ \([^)]*terminal[^)]* untested\)/

  it('is named by doctor and agents, with the command that checks it', async () => {
    const env = { CLAUDE_CLI_PATH: await install('@anthropic-ai/claude-code', '9.9.9') }
    for (const verb of ['doctor', 'agents']) {
      const text = await remora([verb, 'claude'], env)
      expect(text).toMatch(message)
      expect(text).toContain('Check it: remora doctor --probe claude')
      const [claude] = JSON.parse(await remora([verb, 'claude', '--json'], env)) as Finding[]
      expect(claude!.support).toMatchObject({ version: '9.9.9', channels: { terminal: 'untested' } })
    }
  })

  it('is not mentioned for a tested version', async () => {
    const env = { CLAUDE_CLI_PATH: await install('@anthropic-ai/claude-code', '2.1.326') }
    for (const verb of ['doctor', 'agents'])
      expect(await remora([verb, 'claude'], env)).not.toMatch(/tested|--probe/)
  })

  it('cannot be probed without an installation or a definition of its home', async () => {
    expect(await remora(['doctor', '--probe', 'claude'], {})).toContain('Claude Code is not installed')
    expect(await remora(['doctor', '--probe', 'kiro'], {})).toContain('Kiro CLI cannot be probed')
    expect(await remora(['doctor', '--probe'], {})).toContain('No agent to probe is installed')
  })
})

describe('the wrapper that speaks ACP for an agent', () => {
  it('is listed with its version and agent', async () => {
    const env = {
      CLAUDE_CLI_PATH: await install('@anthropic-ai/claude-code', '2.1.197'),
      CLAUDE_ACP_PATH: await install('@zed-industries/claude-code-acp', '0.16.2'),
    }
    const line = 'ACP through claude-code-acp 0.16.2, which drives your Claude Code 2.1.197'
    expect(await remora(['doctor', 'claude'], env)).toContain(`    ${line}  ${env.CLAUDE_ACP_PATH}\n`)
    expect(await remora(['agents', 'claude'], env)).toContain('acp (claude-code-acp 0.16.2)')
    const [claude] = JSON.parse(await remora(['agents', 'claude', '--json'], env)) as Finding[]
    expect(claude?.wrapper).toEqual({
      name: 'claude-code-acp',
      package: '@zed-industries/claude-code-acp',
      path: env.CLAUDE_ACP_PATH,
      version: '0.16.2',
      drives: { own: true, version: '2.1.197' },
      install: 'npm install -g @zed-industries/claude-code-acp',
      advice: null,
    })
  })

  it('is recommended if the Node in PATH supports the maintained one', async () => {
    const env = {
      CLAUDE_CLI_PATH: await install('@anthropic-ai/claude-code', '2.1.197'),
      CLAUDE_ACP_PATH: await install('@zed-industries/claude-code-acp', '0.16.2'),
    }
    await mkdir(join(home, 'bin'))
    await writeFile(join(home, 'bin', 'node'), '#!/bin/sh\necho v22.16.0\n', { mode: 0o755 })
    const advice =
      '→ @zed-industries/claude-code-acp is no longer maintained. ' +
      'Install its successor: npm install -g @agentclientprotocol/claude-agent-acp\n'
    expect(await remora(['doctor', 'claude'], env)).toContain(`    ${advice}`)
    expect(await remora(['agents', 'claude'], env)).toContain(advice)
  })

  it('is a problem only if its variable is invalid', async () => {
    const env = { CODEX_CLI_PATH: await install('@openai/codex', '0.166.0') }
    expect(await remora(['doctor', 'codex'], env)).toContain(
      '    ACP needs codex-acp: npm install -g @zed-industries/codex-acp\n',
    )
    const codes = async (more: Record<string, string> = {}) =>
      (JSON.parse(await remora(['doctor', 'codex', '--json'], { ...env, ...more })) as Finding[]).flatMap(
        ({ problems }) => problems.map(({ code }) => code),
      )
    expect(await codes()).not.toContain('agent_missing')
    expect(await codes({ CODEX_ACP_PATH: '/nowhere' })).toContain('bad_path')
  })
})
