import { hooksApi } from '@remora/protocol/api'
import { parseJson } from '@remora/protocol/plain'
import { HttpError } from '../../security/http-error.ts'
import { readBytes } from '../read-call.ts'
import { implement } from '../route.ts'

/** A tool call may contain a whole file. */
const maxBytes = 32 * 1024 * 1024

export const hookRoutes = implement(hooksApi, {
  async waitForDecision({ context, query: { agent, live: id = '' }, who, request }) {
    const { live, hooks, log, signal } = context
    // Hooks run on this machine only, so the route does not exist for devices.
    if (!hooks || who?.kind !== 'user') throw new HttpError(404, 'not_found', 'Not found')
    // A payload that is nested too deeply cannot be shown exactly, so the dialog on the screen decides.
    const payload = parsePayload(await readBytes(request, maxBytes))
    const found = live.list().find((each) => each.id === id)
    // Only Claude shows its dialog while its hook waits.
    const known = agent === 'claude' && found?.agent === agent && found.channel === 'terminal'
    if (!known || !isRequest(payload) || signal.aborted) {
      log('warn', 'Hook request for an unknown session', { agent, live: id })
      return {}
    }
    return { ...(await hooks.wait({ live: id, payload, signal: request.signal })) }
  },
})

function parsePayload(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString())
  } catch {
    return undefined
  }
}

function isRequest(payload: unknown): payload is Record<string, unknown> {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    (payload as Record<string, unknown>)['hook_event_name'] === 'PermissionRequest'
  )
}
