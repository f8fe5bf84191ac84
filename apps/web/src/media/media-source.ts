import type { MediaBlock } from '@remora/protocol'
import { toFields, text } from '../tool-calls/fields.ts'

/** Where to get the bytes of a block. Only the own server is contacted. */
export type MediaSource =
  | { readonly kind: 'shown'; readonly address: string }
  | { readonly kind: 'bytes'; readonly data: string; readonly mediaType: string }
  | { readonly kind: 'file'; readonly address: string }
  | { readonly kind: 'remote'; readonly address: string }
  | { readonly kind: 'none' }

/** @example getMediaSource({ type: 'image', source: { type: 'file', path: '/a.png' } }) // { kind: 'shown', address: '/api/files/raw?path=%2Fa.png' } */
export function getMediaSource(block: MediaBlock): MediaSource {
  const source = toFields(block.source)
  const mediaType = text(source['media_type']) ?? ''
  const isImage = block.type === 'image'
  switch (source['type']) {
    case 'base64': {
      const data = text(source['data'])?.replaceAll(/\s+/g, '')
      if (data === undefined) return { kind: 'none' }
      const embedded = /^data:([\w.+/-]+);base64,/.exec(data)
      const bytes = embedded ? data.slice(embedded[0].length) : data
      const type = embedded?.[1] ?? mediaType
      if (!isImage) return { kind: 'bytes', data: bytes, mediaType: type }
      return /^image\/[\w.+-]+$/.test(type)
        ? { kind: 'shown', address: `data:${type};base64,${bytes}` }
        : { kind: 'none' }
    }
    case 'file': {
      const path = text(source['path'])
      if (path === undefined) return { kind: 'none' }
      return { kind: isImage ? 'shown' : 'file', address: fileAddress(path) }
    }
    case 'url': {
      const address = text(source['url'])
      return address === undefined ? { kind: 'none' } : { kind: 'remote', address }
    }
    default:
      return { kind: 'none' }
  }
}

/** Uploads have their own URL, because their folder may not be readable. */
function fileAddress(path: string): string {
  const upload = /[/\\]uploads[/\\]([0-9a-f]{32})\.\w+$/.exec(path)?.[1]
  return upload ? `/api/uploads/u-${upload}` : `/api/files/raw?path=${encodeURIComponent(path)}`
}

/** The name of a block, or the last part of its path. */
export function getMediaName(block: MediaBlock): string | undefined {
  const source = toFields(block.source)
  const place = text(source['path']) ?? (source['type'] === 'url' ? text(source['url']) : undefined)
  return text(block.name) ?? place?.split(/[/\\]/).at(-1)?.slice(0, 120)
}

/** The bytes as a file that the browser can play or save. */
export function toBlob(data: string, mediaType: string): Blob | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.codePointAt(0)!)
    return new Blob([bytes], { type: mediaType })
  } catch {
    return undefined
  }
}
