import { rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type MediaKind, RemoraError } from '@remora/protocol/plain'
import type { MediaFile } from '../../contract/agent.ts'
import { getExtension, getMediaType } from '../../files/media-types.ts'
import { createRunFolder } from '../../files/run-files.ts'
import type { RunOptions } from './options.ts'

/** Attachments as files; `remove` deletes the temporary ones. */
export interface MediaFiles {
  readonly files: readonly MediaFile[]
  remove(): Promise<void>
}

export async function prepareMedia(
  media: NonNullable<RunOptions['media']>,
  cwd: string,
): Promise<MediaFiles> {
  let folder: string | undefined
  const remove = async (): Promise<void> => {
    if (folder) await rm(folder, { recursive: true, force: true })
  }
  try {
    const files: MediaFile[] = []
    for (const [index, item] of media.entries()) {
      if ('path' in item) {
        const path = resolve(cwd, item.path)
        const found = await stat(path).catch((cause: unknown) => {
          throw new RemoraError('input', `There is no file ${path} to attach`, {
            hint: 'Check the path.',
            cause,
          })
        })
        // A folder would fail later with an unclear error.
        if (!found.isFile()) {
          throw new RemoraError('input', `${path} is no file, so it cannot be attached`, {
            hint: 'Attach the files in it one by one, or name the folder in the prompt.',
          })
        }
        files.push(describe(path, item.mediaType ?? getMediaType(path)))
      } else {
        folder ??= await createRunFolder('media')
        const path = join(folder, `${index}-${basename(item.name ?? `media${getExtension(item.mediaType)}`)}`)
        await writeFile(path, item.bytes, { mode: 0o600 })
        files.push(describe(path, item.mediaType))
      }
    }
    return { files, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

function describe(path: string, mediaType: string | undefined): MediaFile {
  const kind = getMediaKind(mediaType)
  if (mediaType !== undefined && kind) return { path, kind, mediaType }
  throw new RemoraError('input', `${path} is no image, audio, video or PDF`, {
    hint: 'Name its mediaType if the file has an unusual ending; text files are better named in the prompt.',
  })
}

function getMediaKind(mediaType: string | undefined): MediaKind | undefined {
  if (mediaType === 'application/pdf') return 'document'
  const [kind] = mediaType?.split('/') ?? []
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : undefined
}
