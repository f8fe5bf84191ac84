import { parseJson } from '@remora/protocol/plain'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Context, HookRequests } from '../../core/context.ts'
import type { Who } from '../../security/who.ts'

/** A tool call may contain a whole file. */
const maxBytes = 32 * 1024 * 1024

/**
 * Serves the hooks of agents: `POST /hooks/ask?agent=claude&live=<id>` with the payload of the hook. The response is what
 * the hook prints, `{}` for no decision. The route is internal, so it has no contract and is not in the OpenAPI document.
 */
export function hookRoutes(
  { live, log, signal }: Pick<Context, 'live' | 'log' | 'signal'>,
  hooks: Pick<HookRequests, 'wait'>,
): Hono<{ Variables: { who: Who | undefined } }> {
  const app = new Hono<{ Variables: { who: Who | undefined } }>()
  app.post('/hooks/ask', bodyLimit({ maxSize: maxBytes, onError: (c) => c.json({}, 413) }), async (c) => {
    // Hooks run on this machine only, so the route does not exist for devices.
    if (c.get('who')?.kind !== 'user') return c.notFound()
    const { agent, live: id = '' } = c.req.query()
    // A payload that is nested too deeply cannot be shown exactly, so the dialog on the screen decides.
    const payload = await c.req
      .text()
      .then((text) => parseJson(text))
      .catch(() => undefined)
    const found = live.list().find((each) => each.id === id)
    // Only Claude shows its dialog while its hook waits.
    const known = agent === 'claude' && found?.agent === agent && found.channel === 'terminal'
    if (!known || !isRequest(payload) || signal.aborted) {
      log('warn', 'Hook request for an unknown session', { agent, live: id })
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
