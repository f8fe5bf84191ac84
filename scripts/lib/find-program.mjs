import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program on PATH, or undefined. */
export function findProgram(name, path = process.env.PATH ?? '') {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

/** The command that installs packages on this machine. Names are Debian's; other systems have similar ones. */
export function installCommand(packages, find = findProgram) {
  const names = packages.join(' ')
  if (find('apt-get')) return `sudo apt-get update && sudo apt-get install -y ${names}`
  if (find('dnf')) return `sudo dnf install ${names}`
  if (find('pacman')) return `sudo pacman -S ${names}`
  if (find('apk')) return `sudo apk add ${names}`
  if (find('brew')) return `brew install ${names}`
  return `your system's package manager (packages: ${names})`
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
