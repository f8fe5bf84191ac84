/** The limits of the server. Tests lower some of them; none can be turned off. */
export const limits = {
  /** The body of one request, and of an upload. */
  bodyBytes: 4_000_000,
  uploadBytes: 32_000_000,
  /** Request line and headers together. */
  headerBytes: 16_384,
  headerCount: 100,
  /** Timeouts for the headers and for the whole request, against slow senders. */
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 15_000,
  /** TCP connections, in total and per address. */
  connections: 512,
  connectionsPerAddress: 128,
  /** WebSockets, in total and per device. */
  sockets: 256,
  socketsPerDevice: 16,
  /** Request rates. */
  requestsPerDevice: { perSecond: 50, burst: 300 },
  requestsPerAddress: { perSecond: 5, burst: 60 },
  /** The message rate of one WebSocket, and the length of a message. */
  messages: { perSecond: 200, burst: 600 },
  messageBytes: 4_000_000,
  /** Invalid messages within a short time before the WebSocket is closed. */
  invalidMessages: 10,
  subscriptions: 20,
  /** Wrong pairing codes, per address and in total, before a lockout. */
  guesses: { perAddress: 5, inAll: 20, lockedMs: 15 * 60_000 },
  codeMs: 2 * 60_000,
  /** Open pairing codes. */
  codes: 5,
  devices: 100,
  people: 100,
  /** A device that was not seen for this long must be paired again. */
  deviceIdleMs: 180 * 24 * 3_600_000,
  /** Buffered bytes of one client before it reads from the ledger instead, and before it is disconnected. */
  behindBytes: 1_000_000,
  maxBufferedBytes: 24_000_000,
  /** A client that reads nothing for this long is disconnected. */
  stalledMs: 30_000,
  /** A client that reads at least at this rate is slow, but not stalled. */
  bytesPerSecond: 10_000,
} as const

type Widened<T> = { readonly [K in keyof T]: T[K] extends number ? number : Widened<T[K]> }
export type Limits = Widened<typeof limits>
