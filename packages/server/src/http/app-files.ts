import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}

interface AppFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The built app. Only files that existed at the start of the server are served, by exact name, so that no path of a
 * request reaches the file system.
 */
export class AppFiles {
  readonly #folder: string
  readonly #names: ReadonlySet<string>
  readonly #cache = new Map<string, Promise<AppFile>>()

  constructor(folder: string) {
    this.#folder = folder
    this.#names = new Set(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
        .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`),
    )
  }

  /** Whether the app was built. */
  get isBuilt(): boolean {
    return this.#names.has('/index.html')
  }

  /** Finds a file by name. The path of a screen leads to the page of the app, which routes by itself. */
  async find(path: string, accepts: string, encodings: string): Promise<AppFile | undefined> {
    const name =
      this.#names.has(path) && path !== '/' ? path : isScreen(path, accepts) ? '/index.html' : undefined
    if (name === undefined || !this.#names.has(name)) return undefined
    const encoding = (['br', 'gzip'] as const).find((each) => acceptsEncoding(encodings, each))
    const key = `${encoding ?? ''} ${name}`
    let file = this.#cache.get(key)
    if (!file) {
      file = readAppFile(join(this.#folder, name), name, encoding)
      this.#cache.set(key, file)
    }
    return file
  }
}

/** @example acceptsEncoding('gzip, br;q=0', 'br') // false */
function acceptsEncoding(encodings: string, encoding: string): boolean {
  return encodings.split(',').some((each) => {
    const [name = '', ...options] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !options.some((option) => /^q=0(?:\.0*)?$/.test(option))
  })
}

function isScreen(path: string, accepts: string): boolean {
  if (path === '/') return true
  if (!accepts.includes('text/html') || isApi(path)) return false
  // A session id may look like a file name.
  return path.startsWith('/session/') || !/\.[a-z0-9]+$/i.test(path)
}

/** Recognises every spelling of an API path, since API requests must not get a page. */
function isApi(path: string): boolean {
  let decoded = path
  try {
    decoded = decodeURIComponent(path)
  } catch {
    // An invalid encoding cannot be an API path.
  }
  return /^\/*api(?:\/|$)/i.test(decoded)
}

async function readAppFile(
  file: string,
  name: string,
  encoding: 'br' | 'gzip' | undefined,
): Promise<AppFile> {
  const bytes = readFileSync(file)
  const isText = extname(name) !== '.png' && extname(name) !== '.woff2'
  const content = isText && encoding ? await compress(bytes, encoding) : bytes
  return {
    body: new Uint8Array(content),
    headers: {
      'content-type': types[extname(name)]!,
      // Asset names contain a content hash, so they never change.
      'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      vary: 'accept-encoding',
      ...(isText && encoding ? { 'content-encoding': encoding } : {}),
    },
  }
}

function compress(bytes: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes, { level: 9 })
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}
