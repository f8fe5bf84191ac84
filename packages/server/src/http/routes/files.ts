import { filesApi } from '@remora/protocol/api'
import { RemoraError } from '@remora/protocol/plain'
import type { Context } from '../../core/context.ts'
import { readBytes } from '../read-call.ts'
import { type Route, implement } from '../route.ts'
import { detectType } from '../../files/media-type.ts'
import { openBelow } from '../../files/open-below.ts'
import { readBounded, viewFile } from '../../files/read-file.ts'
import { findRoots } from '../../files/roots.ts'
import { Uploads, toContentBlock, createFileSizeError } from '../../files/uploads.ts'

export interface FilesOptions {
  /** Folders that can be viewed besides the home and those of running sessions. */
  readonly roots?: readonly string[]
  readonly uploads?: Uploads
}

const rawBytes = 25 * 1024 * 1024
const cleanEveryMs = 6 * 3_600_000

/** Folders and files below the allowed roots, and uploads for prompts. */
export function createFilesRoutes(context: Context, options: FilesOptions = {}): Route[] {
  const uploads = options.uploads ?? new Uploads(context)
  scheduleCleanup(context, uploads)
  const roots = () => findRoots(context, options.roots)

  return implement(filesApi, {
    listRoots: async () => ({ roots: (await roots()).real, home: context.home }),

    async viewFile({ query: { path, ...range } }) {
      const allowed = await roots()
      await using opened = await openBelow(allowed, path)
      return await viewFile(allowed, opened, range)
    },

    async getFile({ query: { path } }) {
      await using opened = await openBelow(await roots(), path)
      if (!opened.stats.isFile()) throw new RemoraError('input', `${path} is a folder`)
      if (opened.stats.size > rawBytes) throw createFileSizeError(rawBytes)
      return toResponse(await readBounded(opened.handle, rawBytes))
    },

    async listUploads() {
      const list = await uploads.list()
      return { uploads: list.map((upload) => ({ ...upload, block: toContentBlock(upload) })) }
    },

    async upload({ query: { name }, request }) {
      const { maxBytes } = uploads
      if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw createFileSizeError(maxBytes)
      const bytes = await readBytes(request, maxBytes, createFileSizeError)
      const mediaType = request.headers.get('content-type') ?? ''
      const upload = await uploads.add({ name, bytes, mediaType })
      return { ...upload, block: toContentBlock(upload) }
    },

    async getUpload({ params }) {
      const { path } = await uploads.get(params.id)
      const allowed = await roots()
      // REMORA_HOME may be outside the home folder.
      await using opened = await openBelow(
        {
          ...allowed,
          real: [...allowed.real, allowed.remoraHome],
          written: [...allowed.written, context.remoraHome],
        },
        path,
      )
      return toResponse(await readBounded(opened.handle, uploads.maxBytes))
    },

    removeUpload: ({ params }) => uploads.remove(params.id),
  })
}

/** Only images are shown inline: an HTML file must not run with the rights of the app. */
function toResponse(bytes: Buffer): Response {
  const magic = detectType(bytes)
  const shown = magic?.kind === 'image' ? magic.mediaType : undefined
  return new Response(new Uint8Array(bytes), {
    headers: {
      'Content-Type': shown ?? 'application/octet-stream',
      'Content-Disposition': shown ? 'inline' : 'attachment',
      'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'private, no-store',
    },
  })
}

function scheduleCleanup({ signal, log }: Context, uploads: Uploads): void {
  const clean = (): void => {
    uploads
      .clean()
      .catch((error: unknown) => log('warn', 'Cannot remove old uploads', { error: String(error) }))
  }
  clean()
  const timer = setInterval(clean, cleanEveryMs)
  timer.unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
