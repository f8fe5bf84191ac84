import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { profiles } from '@remora/sdk/profiles'
import { expect, it } from 'vitest'
import { findAgentNames } from './lib/agent-names.mjs'
import { root } from './lib/paths.mjs'

/**
 * Where product code may name an agent. `texts` limits an exception to matching texts. There are at most ten: first
 * look for a field of the agent that the code could read instead.
 */
const exceptions = [
  {
    files:
      /^packages\/cli\/src\/(?:\w+\/verbs|agents\/agents|insights\/(?:alias|desires)|sessions\/(?:import|search|sessions)|setup\/config)\.ts$/,
    texts: /\bremora [a-z]+(?: |:)|\bmcp add\b|"command": "remora"/,
    reason: 'Examples in the help of a command.',
  },
  {
    files: /^packages\/cli\/src\/run\/(?:demo\/.*|verbs\.ts)$|^apps\/web\/src\/words\/en\/app\.ts$/,
    texts: /gemini/i,
    reason: 'The demo runs Gemini CLI.',
  },
  {
    files: /^packages\//,
    texts:
      /^(?:acp\.)?(?:[Tt]oClaude|[Cc]laudeCall|claudeTools|findClaudeTool)$|\bclaude_call\b|Claude's name|Claude or native name/,
    reason: "Claude's tool calls are the vocabulary into which those of all agents are translated.",
  },
  {
    files: /^packages\/sdk\/src\/(?:contract\/tools|plugins\/agent-shape)\.ts$/,
    texts: /^claude$/,
    reason: "The field of a tool with Claude's name for it.",
  },
  {
    files: /^packages\/sdk\/src\/agent\.ts$/,
    texts: /claude/i,
    reason: 'Exports the dialects, formats that several agents write, for plugins.',
  },
  {
    files: /^packages\/sdk\/src\/prices\.ts$/,
    reason: 'Names of models.',
  },
  {
    files: /^packages\/scripted-model\/src\//,
    reason: 'The scripted model serves the APIs and knows the tools of the agents that it is tried with.',
  },
]

const names = listNames()
const uses = listSources().flatMap((file) =>
  findAgentNames(file, readFileSync(join(root, file), 'utf8'), names).map((use) => ({ ...use, file })),
)

it('finds agents in every kind of text, but not in comments', () => {
  const some = ['gemini', 'claude', 'codex', 'opencode', 'copilot', 'qwen', 'kiro', 'pi']
  const source = `
    // gemini
    import { readGeminiFile } from './a.ts'
    const text = 'for claude-code'
    const template = \`run \${text} in .codex/\`
    const pattern = /^OpenCode/
    const { copilot } = { 'qwen': 1, kiroHooks: 2 }
    const spi = api.pi, pipe = 'pi'
    const mark = <p title="CLAUDE.md">Kiro {text}</p>
  `
  expect(findAgentNames('a.tsx', source, some).map(({ line, name }) => `${line} ${name}`)).toEqual([
    '3 gemini',
    '4 claude',
    '5 codex',
    '6 opencode',
    '7 copilot',
    '7 qwen',
    '7 kiro',
    '8 pi',
    '8 pi',
    '9 claude',
    '9 kiro',
  ])
  const css = '/* codex */\n.mark { --geminis: 1; color: var(--gemini) }\n'
  expect(findAgentNames('a.css', css, some)).toEqual([{ line: 2, name: 'gemini', text: 'var(--gemini)' }])
})

it('product code knows no agent', () => {
  const wrong = uses.filter((use) => !exceptions.some((exception) => isAllowed(use, exception)))
  const lines = wrong.map(({ file, line, text }) => `${file}:${line}: ${text.trim().slice(0, 100)}`)
  const hint = `Read these facts from the agent (packages/sdk/src/contract), or from /api/agents in the app.\n${lines.join('\n')}`
  expect(lines, hint).toEqual([])
})

it('has few exceptions, all of which are used', () => {
  expect(exceptions.length).toBeLessThanOrEqual(10)
  const unused = exceptions.filter((exception) => !uses.some((use) => isAllowed(use, exception)))
  expect(unused.map(({ reason }) => reason)).toEqual([])
})

function isAllowed({ file, text }, { files, texts }) {
  return files.test(file) && (texts?.test(text) ?? true)
}

/** The ids, aliases, commands and memory files of all agents, without those that contain another one. */
function listNames() {
  const all = profiles
    .flatMap(({ id, aliases, memoryFile }) => [id, ...aliases, memoryFile ?? id])
    .map((name) => name.toLowerCase())
  const isShortest = (name) => !all.some((other) => other !== name && name.split(/[^a-z\d]/).includes(other))
  return [...new Set(all.filter(isShortest))]
}

/** The sources of all packages, without tests, what tests use, and the code of agents. */
function listSources() {
  return ['packages', 'apps']
    .flatMap((group) =>
      readdirSync(join(root, group))
        .map((name) => `${group}/${name}/src`)
        .filter((folder) => existsSync(join(root, folder)))
        .flatMap((folder) =>
          readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map(
            (file) => `${folder}/${file}`,
          ),
        ),
    )
    .filter(
      (file) =>
        /\.(?:tsx?|css)$/.test(file) &&
        !/\.test(?:-data)?\.|\/fixtures\/|\/testkit\.ts$/.test(file) &&
        !/^packages\/sdk\/src\/(?:agents|dialects)\//.test(file),
    )
}
