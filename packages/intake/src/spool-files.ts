import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type SpoolEntry, type SpoolLook, spoolFolder } from '@remora/sdk/hooks'

/** A hook that takes longer than this to write a payload has long been ended. */
const abandonedMs = 60 * 60 * 1000
/** Damaged payloads that are kept, for one who wants to know why. */
const mostDamaged = 100

/** Takes an entry away. Without its mark it is none, whatever happens next. */
export function removeEntry({ file }: Pick<SpoolEntry, 'file'>): void {
  rmSync(`${file}.ready`, { force: true })
  rmSync(file, { force: true })
}

/** Keeps a payload that cannot be read, where nobody reads it again. Returns its new place, unless it cannot be moved. */
export function putAside(remoraHome: string, { file, id }: SpoolEntry): string | undefined {
  const folder = join(spoolFolder(remoraHome), 'bad')
  const place = join(folder, basename(id))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    renameSync(file, place)
  } catch {
    return undefined
  }
  const names = readdirSync(folder)
  const timeOf = (name: string): number => Number(name.slice(name.lastIndexOf('.') + 1))
  names.sort((a, b) => timeOf(a) - timeOf(b))
  for (const name of names.slice(0, -mostDamaged)) rmSync(join(folder, name), { force: true })
  return place
}

/** Takes away what hooks began and never finished. Tells how many of them had written something. */
export function removeLeftovers(unfinished: SpoolLook['unfinished']): number {
  const old = unfinished.filter(({ at }) => at < Date.now() - abandonedMs)
  for (const { file } of old) rmSync(file, { force: true })
  return old.filter(({ size }) => size > 0).length
}
