import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'

const Keys = z.object({ publicKey: z.string().min(80), privateKey: z.string().min(40) })
export type VapidKeys = z.infer<typeof Keys>

/**
 * Loads the keys that identify this server to push services, or creates them readable by the user only.
 *
 * @example const { publicKey } = await loadVapidKeys(remoraHome)
 */
export async function loadVapidKeys(remoraHome: string): Promise<VapidKeys> {
  const file = join(remoraHome, 'vapid.json')
  const found = await readKeys(file)
  if (found) return found
  await mkdir(remoraHome, { recursive: true, mode: 0o700 })
  const { default: webpush } = await import('web-push')
  const draft = `${file}.${process.pid}.${Date.now()}`
  await writeFile(draft, `${JSON.stringify(webpush.generateVAPIDKeys())}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // Fails if another process was faster. Its keys win, since devices may use them already.
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await readKeys(file))!
}

async function readKeys(file: string): Promise<VapidKeys | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  await chmod(file, 0o600)
  try {
    return Keys.parse(JSON.parse(text))
  } catch (cause) {
    throw new RemoraError('config', `${file} is corrupt`, {
      hint: 'Delete it to create new keys. Every device must then turn notifications on again.',
      cause,
    })
  }
}
