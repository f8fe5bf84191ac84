import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../../../../testkit/src/postgres.ts'
import { answerRemotely, startOnDesktop, controlRemotely, isDone } from './fleet-stories.test-data.ts'
import { createFleetStage } from './fleet.test-data.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres({ fsync: 'off' })
}, 120_000)
afterAll(() => postgres.stop())

it('drives a session of another machine through PostgreSQL', async () => {
  await using stage = await createFleetStage({ database: await postgres.createDatabase() })
  expect(await controlRemotely(stage)).toEqual(['hello there', 'slow'])
}, 180_000)

it('answers the questions of another machine through PostgreSQL, each once', async () => {
  await using stage = await createFleetStage({ database: await postgres.createDatabase() })
  expect(await answerRemotely(stage)).toHaveLength(6)
}, 180_000)

it('continues after the database was unavailable', async () => {
  await using stage = await createFleetStage({ database: await postgres.createDatabase() })
  const { laptop, desktop, until } = stage
  const info = await startOnDesktop(stage)
  await laptop.submit('one', info, 'before')
  await until('the first', isDone(laptop, 'one'))
  await postgres.restart(3_000)
  // A command may fail while the database is down; it is repeated with the same id.
  await until('it is taken', () =>
    laptop.submit('two', laptop.live.find(info.id)!, 'after').catch(() => undefined),
  )
  await until('the second', isDone(laptop, 'two'))
  expect(await desktop.prompts()).toEqual(['before', 'after'])
}, 180_000)
