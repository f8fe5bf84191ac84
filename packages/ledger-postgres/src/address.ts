/** Where a database is. The password is in `url` only, which is never shown. */
export interface Address {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** In words for a person. @example "the database remora at db.example:5432" */
export function describeAddress({ host, port, database }: Address): string {
  // The folder of a socket, a name, or numbers with colons of their own.
  const place = host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`
  return `the database ${database} at ${place}`
}
