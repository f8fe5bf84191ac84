import { extname } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.heic': 'image/heic',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
  '.flac': 'audio/flac',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.pdf': 'application/pdf',
}

/** Gets the media type of an image, audio, video or PDF by its file extension. @example getMediaType('a.png') // 'image/png' */
export function getMediaType(path: string): string | undefined {
  return types[extname(path).toLowerCase()]
}

/** Gets a file extension for a media type. @example getExtension('image/png') // '.png' */
export function getExtension(mediaType: string): string {
  return Object.keys(types).find((ending) => types[ending] === mediaType) ?? ''
}
