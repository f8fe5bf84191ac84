import { z } from 'zod'
import { FileView, UploadInfo } from '../files.ts'
import { defineRoutes, filePath } from '../route.ts'

const count = (max: number, initial: number) =>
  z.coerce.number<number>().int().min(1).max(max).default(initial)
const UploadParams = z.object({ id: z.string().regex(/^u-[0-9a-f]{32}$/) })

/** Routes of files and uploads. */
export const filesApi = defineRoutes({
  listRoots: {
    method: 'get',
    path: '/api/files/roots',
    summary: 'List folders whose files can be viewed',
    access: 'viewer',
    response: z.object({ roots: z.array(z.string()), home: z.string() }),
  },
  viewFile: {
    method: 'get',
    path: '/api/files',
    summary: 'View a folder or lines of a file; files that may contain secrets are refused',
    access: 'viewer',
    query: z.object({ path: filePath, from: count(10_000_000, 1), count: count(10_000, 2_000) }),
    response: FileView,
  },
  getFile: {
    method: 'get',
    path: '/api/files/raw',
    summary: 'Get the bytes of a file: images inline, other files as attachments',
    access: 'viewer',
    query: z.object({ path: filePath }),
    bytes: 'response',
  },
  listUploads: {
    method: 'get',
    path: '/api/uploads',
    summary: 'List uploads for prompts, newest first',
    access: 'viewer',
    response: z.object({ uploads: z.array(UploadInfo) }),
  },
  upload: {
    method: 'post',
    path: '/api/uploads',
    summary: 'Upload an image, a PDF or a text file of up to 10 MB; it is kept for a week',
    access: 'member',
    query: z.object({ name: z.string().max(500).default('file') }),
    bytes: 'request',
    response: UploadInfo,
  },
  getUpload: {
    method: 'get',
    path: '/api/uploads/:id',
    summary: 'Get the bytes of an upload',
    access: 'viewer',
    params: UploadParams,
    bytes: 'response',
  },
  removeUpload: {
    method: 'delete',
    path: '/api/uploads/:id',
    summary: 'Delete an upload',
    access: 'member',
    params: UploadParams,
  },
})
