import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandsPart, SlashCommand, Place } from '../../contract/agent.ts'
import { readBeginning, readCommands, parseFrontmatter, readMarkdown } from '../../dialects/command-files.ts'
import { getClaudeFolder } from './home.ts'

// The descriptions of 2.1.197.
const own: readonly Omit<SlashCommand, 'from'>[] = [
  { name: 'clear', description: 'Start a new session with empty context' },
  {
    name: 'compact',
    description: 'Free up context by summarizing the conversation so far',
    hint: '[instructions]',
  },
  { name: 'context', description: 'Show current context usage' },
  { name: 'init', description: 'Create a CLAUDE.md file with documentation of the codebase' },
  { name: 'review', description: 'Review a GitHub pull request', hint: '[pull request]' },
  {
    name: 'security-review',
    description: 'Complete a security review of the pending changes on the current branch',
  },
  { name: 'recap', description: 'Generate a one-line session recap now' },
  { name: 'rename', description: 'Rename the current conversation', hint: '[name]' },
]

const maxSkills = 200

export const commands: CommandsPart = {
  own: own.map((command) => ({ ...command, from: 'agent' })),
  async written(place) {
    const lists = await Promise.all(
      listFolders(place).flatMap(([folder, from]) => [
        readCommands({
          folder: join(folder, 'commands'),
          from,
          ending: '.md',
          separator: ':',
          read: readMarkdown,
        }),
        readSkills(join(folder, 'skills'), from),
      ]),
    )
    return lists.flat()
  },
}

function listFolders(place: Place): (readonly [string, 'user' | 'project'])[] {
  return [
    [getClaudeFolder(place), 'user'],
    [join(place.cwd, '.claude'), 'project'],
  ]
}

/** A skill is a folder with a SKILL.md. It is also a slash command, unless `user-invocable` is false. */
async function readSkills(folder: string, from: SlashCommand['from']): Promise<SlashCommand[]> {
  const names = await readdir(folder).catch(() => [])
  const found: SlashCommand[] = []
  for (const name of names.toSorted((left, right) => (left < right ? -1 : 1)).slice(0, maxSkills)) {
    const text = await readBeginning(join(folder, name, 'SKILL.md'))
    if (text === '' || parseFrontmatter(text).get('user-invocable') === 'false') continue
    found.push({ name, from, ...readMarkdown(text) })
  }
  return found
}
