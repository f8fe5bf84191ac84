import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * A small file that records the inputs of a result.
 * @example if (!stamp.fits(print)) { stamp.clear(); await work(); stamp.write(print) }
 */
export function stampFile(file) {
  return {
    fits: (print) => read(file) === print,
    // Cleared before the work, so that interrupted work does not count as done.
    clear: () => rmSync(file, { force: true }),
    write: (print) => {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, print)
    },
  }
}

/** The fingerprint of file contents on this platform; `native` adds the ABI of the current Node. */
export function contentPrint(files, { native = false } = {}) {
  const { platform, arch, versions } = process
  const hash = createHash('sha256').update(
    native ? `${platform} ${arch} ${versions.modules}` : `${platform} ${arch}`,
  )
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex')
}

/** The fingerprint of files by name, size and time, which is cheap enough for every start. */
export function quickPrint(files) {
  const hash = createHash('sha256')
  for (const file of files) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
