import { constants } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HeadlessRequest } from '../../contract/agent.ts'

/**
 * Adds media to a prompt as `@path`. The CLI reads only files below the working directory and included folders, and
 * none that git ignores, so the media are copied to a folder of their own.
 *
 * @example await attachMedia(request, folder) // { request: { prompt: 'What is this?\n\n@/tmp/…/0-shot.png' }, args: [ … ] }
 */
export async function attachMedia(
  request: HeadlessRequest,
  folder: string,
): Promise<{ request: HeadlessRequest; args: string[] }> {
  const { media = [], ...rest } = request
  if (media.length === 0) return { request, args: [] }
  const included = join(folder, 'media')
  await mkdir(included, { mode: 0o700 })
  const references = await Promise.all(
    media.map(async ({ path }, index) => {
      // The name needs no escaping.
      const copy = join(included, `${index}-${basename(path).replace(/[^\w.-]/g, '_')}`)
      await copyFile(path, copy, constants.COPYFILE_FICLONE)
      return `@${copy}`
    }),
  )
  const prompt = [request.prompt, references.join(' ')].filter(Boolean).join('\n\n')
  return { request: { ...rest, prompt }, args: ['--include-directories', included] }
}
