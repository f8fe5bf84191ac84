import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandBody } from '@remora/protocol'

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
}

/**
 * Stores media of a prompt as files: an agent on a terminal takes them by path, and the queue stays small.
 *
 * @example const body = await storeMedia('/home/me/.remora', command.body)
 */
export async function storeMedia<Body extends CommandBody>(remoraHome: string, body: Body): Promise<Body> {
  if (body.kind !== 'prompt') return body
  const content = await Promise.all(
    body.content.map(async (block) => {
      if (!('source' in block) || block.source.type !== 'base64') return block
      const { media_type, data } = block.source
      const folder = join(remoraHome, 'uploads')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const bytes = Buffer.from(data, 'base64')
      // Named by content, so that a prompt has the same text after a restart.
      const name = createHash('sha256').update(bytes).digest('hex').slice(0, 40)
      const path = join(
        folder,
        `${name}.${Object.hasOwn(extensions, media_type) ? extensions[media_type] : 'bin'}`,
      )
      const draft = `${path}.${process.pid}-${randomUUID()}`
      await writeFile(draft, bytes, { mode: 0o600 })
      await rename(draft, path)
      return { ...block, source: { type: 'file' as const, media_type, path } }
    }),
  )
  return { ...body, content }
}
