import type { Detection } from '../contract/agent.ts'
import { expandGlob } from './glob.ts'
import { expandHome, getPathModule, variable } from './paths.ts'

/** The command folders of package managers and installers, in order, with `~` and `*` unexpanded. */
export function commonFolders(detection: Detection, place: SearchPlace): string[] {
  const own = detection.folders ?? []
  return [...own, ...(place.platform === 'win32' ? windowsFolders(place) : posixFolders(place))]
}

/** Lists the candidates for a command in the common folders, newer versions first. */
export async function listFolderCandidates(detection: Detection, place: SearchPlace): Promise<string[]> {
  const paths = getPathModule(place.platform)
  const folders = await Promise.all(
    commonFolders(detection, place).map((folder) =>
      expandGlob(expandHome(folder, place.home, place.platform), place.platform),
    ),
  )
  const names = fileNames(detection.command, place)
  return folders.flat().flatMap((folder) => names.map((name) => paths.join(folder, name)))
}

function posixFolders({ env, platform }: SearchPlace): string[] {
  const nvm = env['NVM_DIR'] || '~/.nvm'
  const mise = env['MISE_DATA_DIR'] || '~/.local/share/mise'
  const fnm = env['FNM_DIR']
  const folders = [
    '~/.local/bin',
    '~/.npm-global/bin',
    `${env['BUN_INSTALL'] || '~/.bun'}/bin`,
    `${env['VOLTA_HOME'] || '~/.volta'}/bin`,
    ...(env['PNPM_HOME'] ? [env['PNPM_HOME']] : []),
    platform === 'darwin' ? '~/Library/pnpm' : '~/.local/share/pnpm',
    `${nvm}/versions/node/*/bin`,
    ...(fnm ? [`${fnm}/node-versions/*/installation/bin`] : []),
    '~/.local/share/fnm/node-versions/*/installation/bin',
    '~/.fnm/node-versions/*/installation/bin',
    ...(platform === 'darwin' ? ['~/Library/Application Support/fnm/node-versions/*/installation/bin'] : []),
    `${mise}/installs/node/*/bin`,
    `${mise}/installs/npm-*/*/bin`,
    `${mise}/shims`,
    '/opt/homebrew/bin',
    '/home/linuxbrew/.linuxbrew/bin',
    '/usr/local/bin',
    '/usr/bin',
  ]
  return env['npm_config_prefix'] ? [`${env['npm_config_prefix']}/bin`, ...folders] : folders
}

function windowsFolders({ env }: SearchPlace): string[] {
  const get = (name: string) => variable(env, name, 'win32')
  const roaming = get('APPDATA') || '~\\AppData\\Roaming'
  const local = get('LOCALAPPDATA') || '~\\AppData\\Local'
  return [
    `${roaming}\\npm`,
    '~\\.local\\bin',
    '~\\.bun\\bin',
    get('PNPM_HOME') || `${local}\\pnpm`,
    `${get('VOLTA_HOME') || `${local}\\Volta`}\\bin`,
    `${get('NVM_HOME') || `${roaming}\\nvm`}\\v*`,
    `${roaming}\\fnm\\node-versions\\*\\installation`,
    '~\\scoop\\shims',
    `${get('ProgramFiles') || 'C:\\Program Files'}\\nodejs`,
  ]
}

export interface SearchPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

/** Lists the candidates for a command in PATH, in order. An empty entry is the working directory, as in a shell. */
export function listPathCandidates(command: string, place: SearchPlace): string[] {
  const { env, cwd, platform } = place
  const path = variable(env, 'PATH', platform)
  if (!path) return []
  const paths = getPathModule(platform)
  return path.split(paths.delimiter).flatMap((entry) => {
    const folder = platform === 'win32' ? entry.replace(/^"(.*)"$/, '$1') : entry
    return fileNames(command, place).map((name) => paths.resolve(cwd, folder, name))
  })
}

/** The possible file names of a command: on Windows with each extension of PATHEXT. */
export function fileNames(command: string, place: SearchPlace): string[] {
  if (place.platform !== 'win32') return [command]
  const extensions = variable(place.env, 'PATHEXT', 'win32') || '.COM;.EXE;.BAT;.CMD'
  return extensions
    .split(';')
    .filter((extension) => extension.startsWith('.'))
    .map((extension) => command + extension.toLowerCase())
}
