import { register } from 'tsx/esm/api'

/**
 * Tries to write in plan mode, for every agent, version, channel, wrapper, user and kind of permissions. Prints a table and
 * returns what was changed. `only` selects cells by a part of their name.
 */
export async function breakPlan({ only = '' }) {
  register()
  const [{ listPlanCells }, { describeCell }, { findObstacle, runPlanCell }] = await Promise.all(
    ['cells', 'cell', 'run-cell'].map((name) => import(`../../testkit/src/plan/${name}.ts`)),
  )
  const obstacles = { root: await findObstacle('root'), ordinary: await findObstacle('ordinary') }
  const problems = []
  console.log('| cell | changes | connections | read | asked |\n|---|---|---|---|---|')
  const cells = listPlanCells().filter((each) => describeCell(each).includes(only))
  const next = async () => {
    const cell = cells.shift()
    if (!cell) return
    const name = describeCell(cell)
    const obstacle = obstacles[cell.user]
    if (obstacle !== undefined) {
      console.log(`| ${name} | skipped: ${obstacle} | | | |`)
      return next()
    }
    try {
      const { changes, connections, read, asked, refused } = await runPlanCell(cell)
      const canRead = read ? 'yes' : refused === undefined ? 'no' : `refused: ${refused}`
      console.log(`| ${name} | ${changes.length} | ${connections} | ${canRead} | ${asked.length} |`)
      if (changes.length > 0) problems.push(`${name} changed ${changes.join(', ')}`)
      if (connections > 0) problems.push(`${name} used the network`)
      // An agent that cannot be read-only refuses to start, which is correct.
      if (!read && refused === undefined) problems.push(`${name} could not read`)
    } catch (error) {
      console.log(`| ${name} | failed | | | |`)
      problems.push(error.message)
    }
    await next()
  }
  // Two at a time, because each waits often.
  await Promise.all([next(), next()])
  return problems
}
