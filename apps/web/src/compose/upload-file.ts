import type { UploadInfo } from '@remora/protocol/api'
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
      const answer = read(request.responseText)
      if (request.status === 200 && answer.id !== undefined) return resolve(answer as UploadInfo)
      if (request.status === 401) unpaired.dispatchEvent(new Event('unpaired'))
      const { code = 'unknown', message = words.app.failed, hint } = answer.error ?? {}
      reject(new ApiError(request.status, code, message, hint))
    })
    request.addEventListener('error', () => reject(new ApiError(0, 'network', words.connection.none)))
    request.addEventListener('abort', () => reject(new ApiError(0, 'aborted', words.app.cancel)))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

interface Answer extends Partial<UploadInfo> {
  readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: string }
}

function read(text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return {}
  }
}
