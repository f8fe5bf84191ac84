import type { Hono } from 'hono'
import { HttpError } from '../security/http-error.ts'
import { allow, requireWho } from '../security/roles.ts'
import type { Env } from './app.ts'
import type { Route } from './route.ts'

/**
 * Puts the one check before everything that is served, by what each line of the table declares. What no line declares
 * is for the user of the machine alone: to everybody else it is not there.
 */
export function guard(app: Hono<Env>, table: readonly Pick<Route, 'method' | 'path' | 'access'>[]): void {
  for (const { method, path, access } of table)
    app.on([method.toUpperCase()], path, async (c, next) => {
      // Several may fit; the first is the one that answers.
      if (!c.get('isDeclared')) {
        c.set('isDeclared', true)
        allow(access, c.get('who'))
      }
      await next()
    })
  app.use('/api/*', async (c, next) => {
    if (!c.get('isDeclared') && requireWho(c.get('who')).kind !== 'user')
      throw new HttpError(404, 'not_found', 'Not found')
    await next()
  })
}
