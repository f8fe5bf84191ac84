import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { handleRequest, type Desk } from './handle-request.ts'
import { checkScenario } from './check-scenario.ts'
import { loadScenarios } from './load-scenarios.ts'
import type { LoggedRequest } from './log.ts'
import type { Scenario } from './scenario.ts'
import type { Hold } from './write-answer.ts'

/** What the server starts with. @example const options: ScriptedModelOptions = { port: 8080 } */
export interface ScriptedModelOptions {
  /** Without one the prompts decide, in the default language. */
  scenario?: Scenario
  /** A free one by default. */
  port?: number
  /** What `SCENARIO: name` in a prompt can choose from; the shipped ones by default. */
  scenarios?: Scenario[]
  /** What makes pieces of streamed answers wait, for tests that must not depend on how quick anybody is. */
  hold?: Hold
}

/** A running server. @example await using model = await startScriptedModel() */
export interface ScriptedModel {
  url: string
  port: number
  requests: LoggedRequest[]
  /** Changes the scenario for the requests to come, and forgets which faults have happened. */
  use(scenario: Scenario | undefined): void
  /** The first request that fits, logged already or still to come. */
  waitFor(predicate: (request: LoggedRequest) => boolean, signal?: AbortSignal): Promise<LoggedRequest>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the model on loopback; a CLI that is pointed at its `url` works offline.
 *
 * @example
 * const model = await startScriptedModel({ scenario: await loadScenario('hello') })
 * // GOOGLE_GEMINI_BASE_URL=model.url gemini -p hi
 * await model.close()
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const closing = new AbortController()
  const waiting = new Set<(request: LoggedRequest) => void>()
  const desk: Desk = {
    scenario: options.scenario === undefined ? undefined : checkScenario(options.scenario),
    scenarios: options.scenarios ?? (await loadScenarios()),
    attempts: new Map(),
    hold: options.hold,
    requests: [],
    logged: (request) => {
      desk.requests.push(request)
      for (const look of waiting) look(request)
    },
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    handleRequest(desk, request, response, closing.signal).catch(() => {
      // The client is gone or the server is closing: nobody is left to tell.
      response.destroy()
    })
  })
  // Silence is a fault that a scenario may ask for, so the server itself never gives up on a connection.
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
    requests: desk.requests,
    use(scenario) {
      desk.scenario = scenario === undefined ? undefined : checkScenario(scenario)
      desk.attempts.clear()
    },
    waitFor(predicate, signal) {
      const found = desk.requests.find(predicate)
      if (found !== undefined) return Promise.resolve(found)
      const ended = AbortSignal.any(signal === undefined ? [closing.signal] : [closing.signal, signal])
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting.delete(look)
          reject(ended.reason as Error)
        }
        const look = (request: LoggedRequest): void => {
          if (!predicate(request)) return
          waiting.delete(look)
          ended.removeEventListener('abort', stop)
          resolve(request)
        }
        if (ended.aborted) return stop()
        waiting.add(look)
        ended.addEventListener('abort', stop, { once: true })
      })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
