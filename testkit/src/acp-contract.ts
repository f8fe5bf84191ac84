import type { Agent } from '@remora/sdk'
import { afterAll, beforeAll, describe } from 'vitest'
import { testCancelling } from './acp/cancelling.ts'
import { testChoosing } from './acp/choosing.ts'
import { testCrash, testEnd } from './acp/ending.ts'
import { testFiling } from './acp/filing.ts'
import { testOffering } from './acp/offering.ts'
import { testInterrupting } from './acp/interrupting.ts'
import type { AcpContractOptions } from './acp/options.ts'
import { testPlanning } from './acp/planning.ts'
import { testPermitting } from './acp/permitting.ts'
import { testResuming } from './acp/resuming.ts'
import { Stage } from './acp/stage.ts'
import { testQueues, testTalking } from './acp/talking.ts'
import { getFacts } from './suite-facts.ts'
import { listTestVersions } from './versions.ts'

/**
 * What `connect` promises, tried with the real agent. It is started once, and every test opens sessions on it: that
 * they do not disturb each other is part of the promise.
 *
 * @example testAcp(gemini)
 */
export function testAcp(agent: Agent): void {
  for (const version of listTestVersions(agent.id))
    for (const facts of getFacts(agent, version, 'acp')) testConnections(agent, { ...facts, version })
}

function testConnections(agent: Agent, options: AcpContractOptions): void {
  let stage: Stage
  const get = (): Stage => stage

  const name = [agent.title, options.version, ...(options.wrapper ? [`behind ${options.wrapper}`] : [])].join(
    ' ',
  )
  describe(`${name} over ACP`, { shuffle: false }, () => {
    beforeAll(async () => {
      stage = await Stage.start(agent, options)
    })
    afterAll(() => stage?.end())

    // Those that only wait wait together.
    describe('in any order', { shuffle: true, concurrent: options.core === true }, () => {
      testTalking(get, options)
      testPermitting(get, options)
      testCancelling(get, options)
      testInterrupting(get, options)
      testResuming(get, options)
      testChoosing(get, options)
      if (options.core) return
      testPlanning(get, options)
      testQueues(get, options)
      testOffering(get)
      testFiling(get, options)
      testCrash(get, options)
    })

    describe('in the end', () => {
      testEnd(get)
    })
  })
}
