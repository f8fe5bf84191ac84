import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../../home.ts'
import { writeFailingProject } from '../failures-workspace.ts'

/** Changes a JSON file of the home; what is given goes over what is there. @example await changeJson(home, '.claude.json', { projects: {} }) */
export async function changeJson(home: Home, name: string, more: object): Promise<void> {
  const file = join(home.path, name)
  const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as object
  await writeFile(file, `${JSON.stringify({ ...before, ...more }, null, 2)}\n`)
}

/** The command of a server of the Model Context Protocol with the tool `lookup`. @example const desk = await mcpServer(home) */
export async function mcpServer(home: Home): Promise<{ command: string; args: string[] }> {
  await writeFailingProject(home.cwd)
  return { command: process.execPath, args: [join(home.cwd, 'desk.mjs')] }
}
