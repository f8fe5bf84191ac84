import { useCallback, useEffect, useRef, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import type { DraftFile } from '../state/drafts.ts'
import { toast } from '../state/toasts.ts'
import { api, ApiError, unpaired } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { type CallResult, readError } from '@remora/protocol/client'

/** A file that is uploaded or uploading. */
export interface Attachment {
  readonly key: string
  readonly name: string
  readonly isImage: boolean
  readonly state: 'sending' | 'ready' | 'failed'
  /** From 0 to 1. */
  readonly progress: number
  /** The URL of a preview. */
  readonly preview?: string | undefined
  readonly upload?: DraftFile
  readonly reason?: string
  /** The upload failed offline and is retried after reconnecting. */
  readonly isCutOff?: boolean
}

export interface Attachments {
  readonly list: readonly Attachment[]
  add(files: Iterable<File>): void
  remove(key: string): void
  retry(key: string): void
  /** Removes all files, for example after sending. */
  clear(): void
  /** Restores files of a stored draft. */
  restore(files: readonly DraftFile[]): void
}

const most = 20
let count = 0

/** The files of one prompt. @example const attachments = useAttachments() */
export function useAttachments(): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([])
  const files = useRef(new Map<string, { file: File; abort: AbortController }>())
  const current = useRef(list)
  useEffect(() => void (current.current = list), [list])

  const change = useCallback((key: string, more: Partial<Attachment>) => {
    setList((before) => before.map((each) => (each.key === key ? { ...each, ...more } : each)))
  }, [])

  const send = useCallback(
    (key: string) => {
      const entry = files.current.get(key)
      if (!entry) return
      const abort = (entry.abort = new AbortController())
      change(key, { state: 'sending', progress: 0, isCutOff: false })
      uploadFile(entry.file, (progress) => change(key, { progress }), abort.signal).then(
        ({ id, name, block }) => change(key, { state: 'ready', progress: 1, upload: { id, name, block } }),
        (error: unknown) => {
          if (abort.signal.aborted) return
          const { message, code } = error instanceof ApiError ? error : { message: String(error), code: '' }
          change(key, { state: 'failed', reason: message, isCutOff: code === 'network' })
        },
      )
    },
    [change],
  )

  const add = useCallback(
    (added: Iterable<File>) => {
      for (const file of added) {
        if (file.size > maxBytes) {
          toast(words.compose.tooLarge(file.name), { kind: 'bad' })
          continue
        }
        if (files.current.size >= most) {
          toast(words.compose.tooMany(most), { kind: 'bad' })
          return
        }
        const key = `a${++count}`
        const isImage = file.type.startsWith('image/')
        files.current.set(key, { file, abort: new AbortController() })
        const preview = isImage ? URL.createObjectURL(file) : undefined
        setList((before) => [
          ...before,
          { key, name: file.name, isImage, state: 'sending', progress: 0, preview },
        ])
        send(key)
      }
    },
    [send],
  )

  const forget = useCallback((each: Attachment) => {
    files.current.get(each.key)?.abort.abort()
    files.current.delete(each.key)
    if (each.preview?.startsWith('blob:')) URL.revokeObjectURL(each.preview)
  }, [])

  const remove = useCallback(
    (key: string) => {
      const found = current.current.find((each) => each.key === key)
      if (!found) return
      forget(found)
      // The server deletes it after a week.
      if (found.upload?.id !== undefined)
        api.delete('/api/uploads/:id', { params: { id: found.upload.id } }).catch(() => {})
      setList((before) => before.filter((each) => each.key !== key))
    },
    [forget],
  )

  const clear = useCallback(() => {
    for (const each of current.current) forget(each)
    setList([])
  }, [forget])

  const restore = useCallback((kept: readonly DraftFile[]) => {
    setList((before) => {
      const paths = new Set(before.map(({ upload }) => upload?.block.source.path))
      const missing = kept.filter(({ block }) => !paths.has(block.source.path))
      return missing.length === 0 ? before : [...before, ...missing.map(restored)]
    })
  }, [])

  // Retries failed uploads after reconnecting.
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    if (!isOnline) return
    for (const { key, state, isCutOff } of current.current) if (state === 'failed' && isCutOff) send(key)
  }, [isOnline, send])

  return { list, add, remove, retry: send, clear, restore }
}

function restored(upload: DraftFile): Attachment {
  const { id, name, block } = upload
  const isImage = block.type === 'image'
  const preview = isImage && id !== undefined ? `/api/uploads/${id}` : undefined
  return { key: `a${++count}`, name, isImage, state: 'ready', progress: 1, preview, upload }
}

/** The server's limit. */
const maxBytes = 10 * 1024 * 1024

/** Uploads a file and reports progress from 0 to 1. @example await uploadFile(file, setProgress, signal) */
function uploadFile(
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
