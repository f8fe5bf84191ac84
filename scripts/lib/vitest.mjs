import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runNode } from './children.mjs'
import { bin, readJson, root } from './paths.mjs'
import { withTemporaryFolder } from './temporary.mjs'

/**
 * Runs test projects and resolves to the results:
 * `{ passed, failed, files: [{ name, started, ended }], tests: [{ name, failed }] }`.
 * The output goes to the terminal, or to the file `log`.
 */
export function runTests(projects, { args = [], env = {}, guard, log } = {}) {
  return withTemporaryFolder(async (folder) => {
    const report = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const chosen = projects.flatMap((project) => ['--project', project])
    const command = [bin('vitest'), 'run', ...chosen, ...reporters, ...args]
    const [file, ...rest] = guard ? [guard, '--', process.execPath, ...command] : command
    // The tests create their homes in this folder, so it removes them even if a test is interrupted.
    const code = await runNode(file, rest, { env: { ...process.env, ...env, TMPDIR: folder }, log })
    return count(existsSync(report) ? readJson(report) : undefined, code)
  })
}

/** Runs a command with loopback as its only network. */
export const loopbackOnly = join(root, 'testkit', 'scripts', 'loopback-only.mjs')

/** Counts the tests of a report. A failure that only the exit code shows counts as one. */
export function count(report, code) {
  const files = report?.testResults ?? []
  const passed = report?.numPassedTests ?? 0
  // A file that does not load, or whose setup fails, has no failed test.
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(hasFailed))
  const failed = (report?.numFailedTests ?? 0) + broken.length
  const silent = failed === 0 && (code !== 0 || passed === 0) ? 1 : 0
  return {
    passed,
    failed: failed + silent,
    files: files.map(({ name, startTime, endTime }) => ({ name, started: startTime, ended: endTime })),
    tests: [
      ...files.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => status === 'passed' || status === 'failed')
          .map((test) => ({ name: `${relative(root, name)} > ${test.fullName}`, failed: hasFailed(test) })),
      ),
      ...broken.map(({ name }) => ({ name: relative(root, name), failed: true })),
    ],
  }
}

function hasFailed({ status }) {
  return status === 'failed'
}
