/** How much anybody may ask of the server. Tests make some of it smaller, nothing makes it unbounded. */
export const limits = {
  /** Of one request; uploads have a bound of their own. */
  bodyBytes: 4_000_000,
  uploadBytes: 32_000_000,
  /** Request line and headers together. */
  headerBytes: 16_384,
  headerCount: 100,
  /** Until the headers, and until the whole request is there: a slow sender is cut off. */
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 15_000,
  /** TCP connections, in all and of one address. */
  connections: 512,
  connectionsPerAddress: 128,
  /** WebSockets, in all and of one device. */
  sockets: 256,
  socketsPerDevice: 16,
  /** Requests in a second, and how many may come at once. */
  requestsPerDevice: { perSecond: 50, burst: 300 },
  requestsPerAddress: { perSecond: 5, burst: 60 },
  /** Messages of one WebSocket in a second, and how long one may be. */
  messages: { perSecond: 200, burst: 600 },
  messageBytes: 4_000_000,
  /** Messages that mean nothing, within a short time, until the socket is closed. */
  invalidMessages: 10,
  subscriptions: 20,
  /** Wrong codes of one address, and of all, until nobody is heard for a while. */
  guesses: { perAddress: 5, inAll: 20, lockedMs: 15 * 60_000 },
  codeMs: 2 * 60_000,
  /** Codes that wait at the same time. */
  codes: 5,
  devices: 100,
  people: 100,
  /** A device that was not seen for so long has to be paired again. */
  deviceIdleMs: 180 * 24 * 3_600_000,
  /** Bytes that wait for one client before it reads from the ledger at its own pace, and before it is closed. */
  behindBytes: 1_000_000,
  maxBufferedBytes: 24_000_000,
  /** A client that has taken nothing for so long is closed. */
  stalledMs: 30_000,
  /** Who takes at least so much is slow, but not stalled. */
  bytesPerSecond: 10_000,
} as const

type Widened<T> = { readonly [K in keyof T]: T[K] extends number ? number : Widened<T[K]> }
export type Limits = Widened<typeof limits>
