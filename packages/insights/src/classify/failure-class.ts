import type { FailureClass } from '@remora/protocol/plain'

export { type FailureClass, failureClasses } from '@remora/protocol/plain'

/** A short description of each class. */
export const classMeanings: Readonly<Record<FailureClass, string>> = {
  'unknown-tool': 'a tool that the agent does not have',
  'wrong-argument': 'arguments, options or parameters that the tool or command does not take',
  'wrong-path': 'a file or folder that is not there, or is not what was expected',
  'missing-command': 'a command that is not installed',
  'missing-env': 'an environment variable or key that is not set',
  'permission-denied': 'refused: by a person, a policy, a sandbox, the system or a service',
  timeout: 'took too long and was ended',
  network: 'no connection, or a server that failed',
  'test-failure': 'tests ran and did not pass',
  'edit-mismatch': 'an edit that does not fit the file',
  other: 'everything else; the rule says more',
}
