import type { DeepReadonly, RouteContract } from '@remora/protocol/api'
import type { z } from 'zod'
import type { Context } from '../core/context.ts'
import type { Devices } from '../security/devices.ts'
import type { Pairing } from '../security/pairing.ts'
import type { People } from '../security/people.ts'
import type { Who } from '../security/who.ts'

/** What handlers can use besides the request. */
export interface Services {
  readonly context: Context
  readonly devices: Devices
  readonly people: People
  readonly pairing: Pairing
  /** Our own certificate authority, if the server uses one. */
  readonly ca?: { readonly pem: string; readonly fingerprint: string }
  /** Base URLs of the app; the first is the one to show. */
  readonly urls: readonly string[]
}

type Input<C extends RouteContract, K extends 'params' | 'query' | 'body'> = C[K] extends z.ZodType
  ? z.output<C[K]>
  : undefined

/** A checked request. */
export interface Call<C extends RouteContract = RouteContract> extends Services {
  readonly params: Input<C, 'params'>
  readonly query: Input<C, 'query'>
  readonly body: Input<C, 'body'>
  readonly who: Who | undefined
  readonly address: string
  readonly secure: boolean
  /** For routes that read the request body as bytes, or stop when the client disconnects. */
  readonly request: Request
  /** Sets a response header. */
  readonly set: (name: string, value: string) => void
}

type Result<C extends RouteContract> = C['response'] extends z.ZodType
  ? DeepReadonly<z.output<C['response']>>
  : C['bytes'] extends 'response'
    ? Response
    : void

export type Handler<C extends RouteContract> = (call: Call<C>) => Result<C> | Promise<Result<C>>

/** A route of the table with its handler. */
export interface Route extends RouteContract {
  readonly handle: (call: Call) => unknown
}

/**
 * Joins each contract with the handler of the same name. A missing handler or a wrong result does not compile.
 *
 * @example implement(demoApi, { getDemo: () => demos.state, startDemo: () => demos.start() })
 */
export function implement<T extends Readonly<Record<string, RouteContract>>>(
  contracts: T,
  handlers: { readonly [K in keyof T]: Handler<T[K]> },
): Route[] {
  return Object.entries(contracts).map(([name, contract]) => ({
    ...contract,
    handle: handlers[name] as Route['handle'],
  }))
}
