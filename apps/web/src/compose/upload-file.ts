import { type CallResult, readError } from '@remora/protocol/client'
import { ApiError, unpaired } from '../wire/api.ts'
import { words } from '../words/index.ts'

/** The server's limit. */
export const maxBytes = 10 * 1024 * 1024

/** Uploads a file and reports progress from 0 to 1. @example await uploadFile(file, setProgress, signal) */
export function uploadFile(
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<UploadInfo> {
  // Unlike fetch, XMLHttpRequest reports upload progress.
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.open('POST', `/api/uploads?${new URLSearchParams({ name: file.name || 'file' }).toString()}`)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onProgress(loaded / total)
    })
    request.addEventListener('load', () => {
      const json = parse(request.responseText)
      if (request.status === 200 && isUpload(json)) return resolve(json)
      if (request.status === 401) unpaired.dispatchEvent(new Event('unpaired'))
      const { code = 'unknown', message = words.app.failed, hint } = readError(json)
      reject(new ApiError(request.status, code, message, hint))
    })
    request.addEventListener('error', () => reject(new ApiError(0, 'network', words.connection.none)))
    request.addEventListener('abort', () => reject(new ApiError(0, 'aborted', words.app.cancel)))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

type UploadInfo = CallResult<'post', '/api/uploads'>

function isUpload(json: unknown): json is UploadInfo {
  return typeof json === 'object' && json !== null && 'id' in json
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
