import { open } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { expandGlob } from './glob.ts'

/**
 * Finds the possible package folders of an executable that is not a link into its package: npm on Windows and pnpm write
 * scripts, Volta and mise have one program for all commands.
 */
export async function packageFolders(path: string, target: string, name: string): Promise<string[]> {
  const folders = [join(dirname(path), 'node_modules', name)]
  const manager = basename(target).replace(/\.exe$/i, '')
  if (manager === 'volta-shim') {
    const home = dirname(dirname(path))
    folders.push(join(home, 'tools', 'image', 'packages', name, 'lib', 'node_modules', name))
  }
  if (manager === 'mise') {
    const installs = join(dirname(dirname(path)), 'installs')
    const inner = join('lib', 'node_modules', name)
    folders.push(...(await expandGlob(join(installs, 'npm-*', '*', inner), process.platform)))
    folders.push(...(await expandGlob(join(installs, 'node', '*', inner), process.platform)))
  }
  const mentioned = await mentionedPackage(target, name)
  return mentioned === undefined ? folders : [mentioned, ...folders]
}

// pnpm's script says: exec node "$basedir/global/5/node_modules/@google/gemini-cli/dist/index.js"
async function mentionedPackage(script: string, name: string): Promise<string | undefined> {
  const text = await beginning(script)
  if (!text.startsWith('#!')) return undefined
  const escaped = name.replace(/[.+]/g, '\\$&')
  const match = new RegExp(`["']([^"'\\n]*/node_modules/${escaped})/`).exec(text)
  const folder = match?.[1]?.replace(/^\$\{?basedir\}?\//, './')
  if (folder === undefined || folder.includes('$')) return undefined
  return isAbsolute(folder) ? folder : resolve(dirname(script), folder)
}

async function beginning(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  }
}
