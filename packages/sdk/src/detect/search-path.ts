import { getPathModule, variable } from './paths.ts'

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
