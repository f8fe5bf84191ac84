import { parseJson } from '@remora/protocol/plain'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Context } from '../context.ts'
import type { Who } from '../security/who.ts'
import type { WaitingHooks } from './waiting-hooks.ts'

/** A call may carry a whole file. */
const longest = 32 * 1024 * 1024

/**
 * Where hooks wait, for the user's own processes only: `POST /hooks/ask?agent=claude&live=<id>` with what the agent told
 * its hook. The answer is what the hook shall print, and `{}` wherever nothing is to be said.
 *
 * @example app.route('/api', hookRoutes(context, hooks))
 */
export function hookRoutes(
  { live, log, signal }: Pick<Context, 'live' | 'log' | 'signal'>,
  hooks: WaitingHooks,
): Hono<{ Variables: { who: Who | undefined } }> {
  const app = new Hono<{ Variables: { who: Who | undefined } }>()
  app.post('/hooks/ask', bodyLimit({ maxSize: longest, onError: (c) => c.json({}, 413) }), async (c) => {
    // A device has no hooks: whoever comes by the network is not told that there are any.
    if (c.get('who')?.kind !== 'user') return c.notFound()
    const { agent, live: id = '' } = c.req.query()
    // A payload that is nested too deeply is not known exactly, and the dialog on the screen decides.
    const payload = await c.req
      .text()
      .then((text) => parseJson(text))
      .catch(() => undefined)
    const found = live.list().find((each) => each.id === id)
    // Of all agents only Claude shows its dialog while a hook of it waits.
    const known = agent === 'claude' && found?.agent === agent && found.channel === 'terminal'
    if (!known || !isRequest(payload) || signal.aborted) {
      log('warn', 'A hook waits for nothing that is known here', { agent, live: id })
      return c.json({})
    }
    return c.json(await hooks.wait({ live: id, payload, signal: c.req.raw.signal }))
  })
  return app
}

function isRequest(payload: unknown): payload is Record<string, unknown> {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    (payload as Record<string, unknown>)['hook_event_name'] === 'PermissionRequest'
  )
}
