import { type Event, fold } from '@remora/protocol'
import type { Agent } from '@remora/sdk'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interleave } from './joined/interleave.ts'
import { JoinedStage } from './joined/stage.ts'
import {
  type Turn,
  canBeOver,
  denied,
  describeTurn,
  drivers,
  listTurns,
  toScenario,
  trimLine,
  unsent,
} from './joined/turns.ts'
import { toStory } from './story.ts'
import { getFacts, getSuiteFacts } from './suite-facts.ts'
import { listTestVersions } from './versions.ts'

// Starting an agent takes seconds of processor time, which can be minutes on a busy machine.
const startMs = 300_000

/**
 * One session of the real CLI, over ACP and then on a terminal, that hooks and the transcript observe as well. What all
 * channels report is one conversation, whichever is first: every prompt, text and call once and in order, with its status.
 *
 * @example testJoined(gemini)
 */
export function testJoined(agent: Agent): void {
  for (const version of listTestVersions(agent.id)) testSession(agent, version)
}

function testSession(agent: Agent, version: string): void {
  const facts = getFacts(agent, version, 'joined')
  const run = getSuiteFacts(agent, version).terminal?.run
  const parts = drivers
    .filter((driver) => agent[driver])
    .map((driver) => [driver, listTurns(driver, run)] as const)
  const scenarios = parts.flatMap(([, turns]) => turns.map(toScenario))

  // Each part continues the session of the one before.
  const name = `one session of ${agent.title} ${version}`
  describe(name, { shuffle: false, timeout: 2 * startMs }, () => {
    let stage: JoinedStage
    /** The conversation so far. */
    const story: string[] = []
    beforeAll(async () => {
      stage = await JoinedStage.open(agent, { version, scenarios, unsent, denied })
    }, startMs)
    afterAll(() => stage.close(), startMs)

    it.each(parts)('is the same on all channels, over %s', async (driver, turns) => {
      await stage.start(driver)
      for (const turn of turns) await take(turn)
      const last = story.at(-1)!
      await stage.until('the transcript has the last answer', async () => {
        const written = toLines(await stage.events('transcripts'))
        return count(written, last) === count(story, last)
      })
      await stage.end()
      expect(toLines(await stage.events())).toEqual(story)
      for (const channel of ['hooks', 'transcripts'] as const)
        if (agent[channel])
          expect(listPrompts(toLines(await stage.events(channel))), channel).toEqual(listPrompts(story))
      expect((await stage.events(driver)).length).toBeGreaterThan(0)
    })

    it('is the same in every order in which the channels report it', async () => {
      const events = await stage.events()
      const messages = JSON.stringify(fold(events))
      const property = fc.property(
        interleave(events),
        (mixed) =>
          JSON.stringify(toLines(mixed)) === JSON.stringify(story) &&
          JSON.stringify(fold(mixed)) === messages,
      )
      const { failed, counterexample } = fc.check(property, { numRuns: 50 })
      const [mixed = events] = counterexample ?? []
      expect(toLines(mixed)).toEqual(story)
      expect(failed ? fold(mixed) : []).toEqual(failed ? fold(events) : [])
    })

    /** Takes one turn, and waits until the channels have reported all of it. */
    async function take(turn: Turn): Promise<void> {
      const before = stage.countAnswers(turn.prompt)
      const answers = () => stage.countAnswers(turn.prompt) - before
      const expected = () => [...story, ...describeTurn(turn, answers(), facts)]
      const read = async () => toLines(await stage.events())
      await stage.prompt(turn.prompt)
      const { interruptedAt } = turn
      if (interruptedAt !== undefined) {
        await stage.until('the text is shown', () => stage.shows(interruptedAt))
        await stage.cancel()
      }
      await stage
        .until('the turn is reported', async () => {
          if (!stage.isIdle() || !canBeOver(turn, answers())) return false
          return JSON.stringify(await read()) === JSON.stringify(expected())
        })
        .catch(async (error: unknown) => {
          expect(await read()).toEqual(expected())
          throw error
        })
      story.push(...expected().slice(story.length))
    }
  })
}

function toLines(events: readonly Event[]): string[] {
  const describeCall = (name: string, input: unknown) =>
    `${name} ${String((input as { command?: unknown }).command)}`
  return toStory(fold(events), describeCall).map(trimLine)
}

function listPrompts(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith('user: '))
}

function count(lines: readonly string[], line: string): number {
  return lines.filter((each) => each === line).length
}
