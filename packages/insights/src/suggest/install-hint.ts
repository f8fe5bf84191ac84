import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The supported package managers. */
export const packageManagers = ['apt', 'brew', 'npm', 'pip'] as const
/** A supported package manager. */
export type PackageManager = (typeof packageManagers)[number]

type Packages = Partial<Readonly<Record<PackageManager, string>>>

const same = (name: string): Packages => ({ apt: name, brew: name })

/** Commands whose package is certain. */
const packages: Readonly<Record<string, Packages>> = {
  ...Object.fromEntries(
    [
      'jq',
      'tree',
      'ripgrep',
      'shellcheck',
      'tmux',
      'wget',
      'curl',
      'git',
      'cmake',
      'ffmpeg',
      'pandoc',
      'htop',
    ].map((name) => [name, same(name)]),
  ),
  rg: same('ripgrep'),
  convert: same('imagemagick'),
  magick: { brew: 'imagemagick' },
  sqlite3: { apt: 'sqlite3', brew: 'sqlite' },
  psql: { apt: 'postgresql-client', brew: 'libpq' },
  pdftotext: { apt: 'poppler-utils', brew: 'poppler' },
  unzip: same('unzip'),
  zip: same('zip'),
  rsync: same('rsync'),
  nc: { apt: 'netcat-openbsd', brew: 'netcat' },
  lsof: { apt: 'lsof' },
  dig: { apt: 'dnsutils', brew: 'bind' },
  xxd: { apt: 'xxd' },
  file: { apt: 'file' },
  bc: same('bc'),
  gh: same('gh'),
  fd: { brew: 'fd' },
  yq: { brew: 'yq' },
  python: { apt: 'python-is-python3' },
  pip: { apt: 'python3-pip' },
  pip3: { apt: 'python3-pip' },
  make: { apt: 'make' },
  gcc: { apt: 'gcc' },
  'g++': { apt: 'g++' },
  pnpm: { npm: 'pnpm' },
  yarn: { npm: 'yarn' },
  tsc: { npm: 'typescript' },
  tsx: { npm: 'tsx' },
  eslint: { npm: 'eslint' },
  prettier: { npm: 'prettier' },
  pytest: { pip: 'pytest' },
  ruff: { pip: 'ruff' },
  black: { pip: 'black' },
  mypy: { pip: 'mypy' },
  uv: { pip: 'uv' },
}

const lines: Readonly<Record<PackageManager, string>> = {
  apt: 'sudo apt-get install',
  brew: 'brew install',
  npm: 'npm install -g',
  pip: 'pip install',
}

/**
 * The command that installs a missing one with an available package manager; undefined if the package is uncertain.
 *
 * @example installHint('rg', ['apt']) // 'sudo apt-get install ripgrep'
 */
export function installHint(command: string, managers: readonly PackageManager[]): string | undefined {
  if (!Object.hasOwn(packages, command)) return undefined
  const known = packages[command]!
  const manager = managers.find((each) => known[each] !== undefined)
  return manager === undefined ? undefined : `${lines[manager]} ${known[manager]}`
}

/** Whether a program is in PATH. @example isInPath('jq', process.env.PATH) */
export function isInPath(program: string, path = ''): boolean {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => isExecutable(join(folder, program)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
