import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { PromptCapabilities } from './prompt-content.ts'

export interface AuthMethod {
  readonly id: string
  readonly name: string
  readonly description?: string
}

/** What an agent tells of itself when it is greeted; of which nothing is certain. */
export class Greeting {
  readonly #told: AgentRecord

  constructor(told: AgentRecord = {}) {
    this.#told = told
  }

  get protocolVersion(): unknown {
    return this.#told['protocolVersion']
  }

  get info(): { readonly name?: string; readonly title?: string; readonly version?: string } {
    return asRecord(this.#told['agentInfo']) ?? {}
  }

  get capabilities(): AgentRecord {
    return asRecord(this.#told['agentCapabilities']) ?? {}
  }

  get authMethods(): readonly AuthMethod[] {
    const methods = this.#told['authMethods']
    return (Array.isArray(methods) ? (methods as unknown[]) : []).flatMap((each) => {
      const { id, name, description } = asRecord(each) ?? {}
      return typeof id === 'string'
        ? [{ id, name: asString(name) ?? id, ...(typeof description === 'string' ? { description } : {}) }]
        : []
    })
  }

  /** What it takes in a prompt. */
  get takes(): PromptCapabilities {
    const prompt = asRecord(this.capabilities['promptCapabilities'])
    return {
      image: prompt?.['image'] === true,
      audio: prompt?.['audio'] === true,
      embeddedContext: prompt?.['embeddedContext'] === true,
    }
  }

  get takesHttpServers(): boolean {
    return asRecord(this.capabilities['mcpCapabilities'])?.['http'] === true
  }

  /** What it can do with a session besides beginning one. */
  can(what: 'close' | 'fork' | 'list' | 'load' | 'resume'): boolean {
    if (what === 'load') return this.capabilities['loadSession'] === true
    return asRecord(asRecord(this.capabilities['sessionCapabilities'])?.[what]) !== undefined
  }
}
