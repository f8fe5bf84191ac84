import { RemoraError } from '@remora/protocol/plain'
import { Hono } from 'hono'
import { FileView, UploadInfo } from '@remora/protocol/api'
import { z } from 'zod'
import { described, serve } from '../changes/serve.ts'
import type { Context } from '../context.ts'
import { readBody } from './bounded-body.ts'
import { sniff } from './media-type.ts'
import { openBelow } from './open-below.ts'
import { readBounded, viewFile } from './read-file.ts'
import { findRoots } from './roots.ts'
import { Uploads, blockOf, tooLarge } from './uploads.ts'

const path = z.string().min(1).max(4_096)
const number = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual)
const UploadParams = z.object({ id: z.string().regex(/^u-[0-9a-f]{32}$/) })

export const filesApi = {
  roots: described('get', 'viewer', '/api/files/roots', 'The folders below which files may be looked at', {
    response: z.object({ roots: z.array(z.string()), home: z.string() }),
  }),
  view: described(
    'get',
    'viewer',
    '/api/files',
    'A folder, or some lines of a file; none that may hold keys',
    {
      query: z.object({ path, from: number(10_000_000, 1), count: number(10_000, 2_000) }),
      response: FileView,
    },
  ),
  raw: described(
    'get',
    'viewer',
    '/api/files/raw',
    'The bytes of a file: pictures to be shown, all else to be saved',
    {
      query: z.object({ path }),
      bytes: 'given',
    },
  ),
  uploads: described('get', 'viewer', '/api/uploads', 'Files that were sent for prompts, the latest first', {
    response: z.object({ uploads: z.array(UploadInfo) }),
  }),
  upload: described(
    'post',
    'member',
    '/api/uploads',
    'Takes the body as a file: an image, a PDF or a text, by what is in it; 10 MB at most, kept for a week',
    { query: z.object({ name: z.string().max(500).default('file') }), response: UploadInfo, bytes: 'taken' },
  ),
  uploaded: described('get', 'viewer', '/api/uploads/:id', 'The bytes of an upload', {
    params: UploadParams,
    bytes: 'given',
  }),
  removeUpload: described('delete', 'member', '/api/uploads/:id', 'Deletes an upload', {
    params: UploadParams,
  }),
}

export interface FilesOptions {
  /** Folders that may be looked at beside the home and those of running sessions. */
  readonly roots?: readonly string[]
  readonly uploads?: Uploads
}

const rawBytes = 25 * 1024 * 1024
const cleanEveryMs = 6 * 3_600_000

/**
 * Folders and files below the allowed roots, and uploads for prompts.
 *
 * @example const mounts = [filesRoutes(context, { roots: ['/srv/projects'] })]
 */
export function filesRoutes(context: Context, options: FilesOptions = {}): Hono {
  const uploads = options.uploads ?? new Uploads(context)
  keepClean(context, uploads)
  const app = new Hono()
  const roots = () => findRoots(context, options.roots)

  serve(app, filesApi.roots, async () => ({ roots: (await roots()).real, home: context.home }))

  serve(app, filesApi.view, async ({ query: { path, ...range } }) => {
    const allowed = await roots()
    await using opened = await openBelow(allowed, path)
    return await viewFile(allowed, opened, range)
  })

  serve(app, filesApi.raw, async ({ query: { path } }) => {
    await using opened = await openBelow(await roots(), path)
    if (!opened.stats.isFile()) throw new RemoraError('input', `${path} is a folder`)
    if (opened.stats.size > rawBytes) throw tooLarge(rawBytes)
    return raw(await readBounded(opened.handle, rawBytes))
  })

  serve(app, filesApi.uploads, async () => {
    const list = await uploads.list()
    return { uploads: list.map((upload) => ({ ...upload, block: blockOf(upload) })) }
  })

  serve(app, filesApi.upload, async ({ query: { name }, request }) => {
    const bytes = await readBody(request, uploads.maxBytes)
    const mediaType = request.headers.get('content-type') ?? ''
    const upload = await uploads.add({ name, bytes, mediaType })
    return { ...upload, block: blockOf(upload) }
  })

  serve(app, filesApi.uploaded, async ({ params }) => {
    const { path } = await uploads.get(params.id)
    const allowed = await roots()
    // Its folder may lie outside the home.
    await using opened = await openBelow(
      {
        ...allowed,
        real: [...allowed.real, allowed.remoraHome],
        written: [...allowed.written, context.remoraHome],
      },
      path,
    )
    return raw(await readBounded(opened.handle, uploads.maxBytes))
  })

  serve(app, filesApi.removeUpload, ({ params }) => uploads.remove(params.id))

  return app
}

/** Pictures are shown, all else is saved: a page must not run with the rights of ours. */
function raw(bytes: Buffer): Response {
  const magic = sniff(bytes)
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

function keepClean({ signal, log }: Context, uploads: Uploads): void {
  const clean = (): void => {
    uploads
      .clean()
      .catch((error: unknown) => log('warn', 'Old uploads could not be removed', { error: String(error) }))
  }
  clean()
  const timer = setInterval(clean, cleanEveryMs)
  timer.unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
