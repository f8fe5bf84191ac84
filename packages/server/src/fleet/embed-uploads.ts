import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type CommandBody, RemoraError } from '@remora/protocol'
import { uploadBytes } from '../files/uploads.ts'

/**
 * Replaces uploads by their bytes, because another machine cannot read the file. A path that the user typed means a file
 * on that machine.
 *
 * @example const body = await embedUploads('/home/me/.remora', command.body)
 */
export async function embedUploads<Body extends CommandBody>(remoraHome: string, body: Body): Promise<Body> {
  if (body.kind !== 'prompt') return body
  const uploads = join(remoraHome, 'uploads')
  let left = uploadBytes
  const content: typeof body.content = []
  for (const block of body.content) {
    if (!('source' in block) || block.source.type !== 'file' || dirname(block.source.path) !== uploads) {
      content.push(block)
      continue
    }
    const { path, media_type = 'application/octet-stream' } = block.source
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw new RemoraError('input', `Upload ${block.name ?? basename(path)} no longer exists`, {
        hint: 'Attach it again.',
        cause,
      })
    })
    left -= bytes.length
    if (left < 0)
      throw new RemoraError('input', 'The attachments are too large for another machine', {
        hint: `The limit is ${uploadBytes / 1024 / 1024} MB in total.`,
      })
    content.push({ ...block, source: { type: 'base64', media_type, data: bytes.toString('base64') } })
  }
  return { ...body, content }
}
