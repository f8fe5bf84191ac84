import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Devices } from '../security/devices.ts'
import type { Pairing } from '../security/pairing.ts'
import type { People } from '../security/people.ts'
import type { Access } from '../security/roles.ts'
import type { Who } from '../security/who.ts'

/** What handlers know beside the context. */
export interface Services {
  readonly context: Context
  readonly devices: Devices
  readonly people: People
  readonly pairing: Pairing
  /** The certificate of our own authority, where there is one. */
  readonly ca?: { readonly pem: string; readonly fingerprint: string }
  /** The names under which pages may be opened; the first is the one to show. */
  readonly urls: readonly string[]
}

export interface Shapes {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly response?: z.ZodType
  /** The body is a file as it is, or the answer is. */
  readonly bytes?: 'taken' | 'given'
}

type Read<S extends Shapes, K extends keyof Shapes> = S[K] extends z.ZodType ? z.infer<S[K]> : undefined

export interface Call<S extends Shapes = Shapes> extends Services {
  readonly params: Read<S, 'params'>
  readonly query: Read<S, 'query'>
  readonly body: Read<S, 'body'>
  readonly who: Who | undefined
  readonly address: string
  readonly secure: boolean
  /** Headers of the answer. */
  readonly set: (name: string, value: string) => void
}

/** One thing that can be asked for. The list of these is the API: it is served, checked and documented from here. */
export interface Route<S extends Shapes = Shapes> {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** @example '/api/live/:id' */
  readonly path: string
  readonly summary: string
  /** The least that is needed. What does not say it is not served. */
  readonly access: Access
  readonly shapes: S
  /** What it returns is sent as JSON; nothing is an empty answer. */
  readonly handle: (call: Call<S>) => unknown
}

/** Declares a route; the types follow from the shapes. @example route({ method: 'get', path: '/api/me', … }) */
export function route<const S extends Shapes>(definition: Route<S>): Route {
  return definition
}
