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
 * The built app. Only what was in its folder when the server began is served, by its exact name: no path of a request
 * ever meets the file system.
 */
export class AppFiles {
  readonly #folder: string
  readonly #names: ReadonlySet<string>
  readonly #made = new Map<string, Promise<AppFile>>()

  constructor(folder: string) {
    this.#folder = folder
    this.#names = new Set(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
        .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`),
    )
  }

  /** Whether the app is there at all. */
  get isBuilt(): boolean {
    return this.#names.has('/index.html')
  }

  /** A file by its name; for the address of a screen, which the app draws itself, its page. */
  async find(path: string, accepts: string, encodings: string): Promise<AppFile | undefined> {
    const name =
      this.#names.has(path) && path !== '/' ? path : isScreen(path, accepts) ? '/index.html' : undefined
    if (name === undefined || !this.#names.has(name)) return undefined
    const encoding = (['br', 'gzip'] as const).find((each) => takes(encodings, each))
    const key = `${encoding ?? ''} ${name}`
    let made = this.#made.get(key)
    if (!made) {
      made = make(join(this.#folder, name), name, encoding)
      this.#made.set(key, made)
    }
    return made
  }
}

/** @example takes('gzip, br;q=0', 'br') // false */
function takes(encodings: string, encoding: string): boolean {
  return encodings.split(',').some((each) => {
    const [name = '', ...options] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !options.some((option) => /^q=0(?:\.0*)?$/.test(option))
  })
}

function isScreen(path: string, accepts: string): boolean {
  if (path === '/') return true
  if (!accepts.includes('text/html') || isApi(path)) return false
  // The id of a session may look like the name of a file.
  return path.startsWith('/session/') || !/\.[a-z0-9]+$/i.test(path)
}

/** However it is written: who asks for it must not be given a page. */
function isApi(path: string): boolean {
  let plain = path
  try {
    plain = decodeURIComponent(path)
  } catch {
    // Then it is nothing of ours either.
  }
  return /^\/*api(?:\/|$)/i.test(plain)
}

async function make(file: string, name: string, encoding: 'br' | 'gzip' | undefined): Promise<AppFile> {
  const bytes = readFileSync(file)
  const isText = extname(name) !== '.png' && extname(name) !== '.woff2'
  const packed = isText && encoding ? await pack(bytes, encoding) : bytes
  return {
    body: new Uint8Array(packed),
    headers: {
      'content-type': types[extname(name)]!,
      // A name with a hash in it never means anything else.
      'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      vary: 'accept-encoding',
      ...(isText && encoding ? { 'content-encoding': encoding } : {}),
    },
  }
}

function pack(bytes: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes, { level: 9 })
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}
