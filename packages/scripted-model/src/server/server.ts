import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { handleRequest, type ServerState } from './handle-request.ts'
import { checkScenario } from '../replies/check-scenario.ts'
import { loadScenarios } from '../replies/load-scenarios.ts'
import type { LoggedRequest } from '../replies/log.ts'
import type { Scenario } from '../replies/scenario.ts'
import type { Hold } from './write-answer.ts'

/** Options of the server. @example const options: ScriptedModelOptions = { port: 8080 } */
export interface ScriptedModelOptions {
  /** Without a scenario, directives in the prompts decide. */
  scenario?: Scenario
  /** A free port by default. */
  port?: number
  /** The scenarios that `SCENARIO: name` in a prompt can select; the shipped ones by default. */
  scenarios?: Scenario[]
  /** Delays chunks of streamed answers, for tests that must not depend on timing. */
  hold?: Hold
}

/** A running server. @example await using model = await startScriptedModel() */
export interface ScriptedModel {
  url: string
  port: number
  requests: LoggedRequest[]
  /** Changes the scenario for later requests, and resets the counts of faults. */
  use(scenario: Scenario | undefined): void
  /** The first matching request, logged already or in the future. */
  waitFor(predicate: (request: LoggedRequest) => boolean, signal?: AbortSignal): Promise<LoggedRequest>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the model on loopback; a CLI configured with its `url` works offline.
 *
 * @example
 * const model = await startScriptedModel({ scenario: await loadScenario('hello') })
 * // GOOGLE_GEMINI_BASE_URL=model.url gemini -p hi
 * await model.close()
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const closing = new AbortController()
  const listeners = new Set<(request: LoggedRequest) => void>()
  const state: ServerState = {
    scenario: options.scenario === undefined ? undefined : checkScenario(options.scenario),
    scenarios: options.scenarios ?? (await loadScenarios()),
    attempts: new Map(),
    hold: options.hold,
    requests: [],
    logged: (request) => {
      state.requests.push(request)
      for (const listener of listeners) listener(request)
    },
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    handleRequest(state, request, response, closing.signal).catch(() => {
      // The client has disconnected or the server is closing, so there is no one to answer.
      response.destroy()
    })
  })
  // Silence is a fault that a scenario may request, so the server never times out a connection.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  const close = async (): Promise<void> => {
    if (closing.signal.aborted) return
    closing.abort(new Error('The scripted model was closed.'))
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }

  return {
    url: `http://127.0.0.1:${String(port)}`,
    port,
    requests: state.requests,
    use(scenario) {
      state.scenario = scenario === undefined ? undefined : checkScenario(scenario)
      state.attempts.clear()
    },
    waitFor(predicate, signal) {
      const found = state.requests.find(predicate)
      if (found !== undefined) return Promise.resolve(found)
      const ended = AbortSignal.any(signal === undefined ? [closing.signal] : [closing.signal, signal])
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          listeners.delete(listener)
          reject(ended.reason as Error)
        }
        const listener = (request: LoggedRequest): void => {
          if (!predicate(request)) return
          listeners.delete(listener)
          ended.removeEventListener('abort', stop)
          resolve(request)
        }
        if (ended.aborted) return stop()
        listeners.add(listener)
        ended.addEventListener('abort', stop, { once: true })
      })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
