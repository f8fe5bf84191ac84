import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fieldsOf, stringOf } from '../../fields.ts'

/**
 * The version of the Claude that the wrapper brings along, as the package says in which it lies.
 *
 * @example await builtInClaude('/usr/local/bin/claude-code-acp') // '2.1.44'
 */
export async function builtInClaude(path: string): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path)
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', '@anthropic-ai', 'claude-agent-sdk', 'package.json')
    const version = await claudeVersion(file)
    if (version !== undefined || folder === dirname(folder)) return version
  }
}

async function claudeVersion(file: string): Promise<string | undefined> {
  try {
    return stringOf(fieldsOf(JSON.parse(await readFile(file, 'utf8')))?.['claudeCodeVersion'])
  } catch {
    return undefined
  }
}
