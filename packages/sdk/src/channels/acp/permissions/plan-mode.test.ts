import { describe, expect, it } from 'vitest'
import { isReadOnly } from './plan-mode.ts'

describe('a command in plan mode', () => {
  it.each(['ls', 'ls -la src', 'cat README.md', 'grep -rn todo src', 'find . -name *.ts', 'pwd'])(
    'only reads: %s',
    (command) => expect(isReadOnly(command)).toBe(true),
  )

  it.each([
    'touch a',
    'ls; touch a',
    'ls && touch a',
    'ls | tee a',
    'cat a > b',
    'ls\ntouch a',
    'echo $(touch a)',
    'echo `touch a`',
    'echo $HOME',
    'find . -delete',
    'find . -exec rm {} +',
    'find . -fprint a',
    '"find" . -delete',
    'find . -del""ete',
    './ls',
    '/tmp/ls',
    'X=1 ls',
    'sudo ls',
    'git -c core.pager=touch log',
    'constructor',
    '',
  ])('may change something: %j', (command) => expect(isReadOnly(command)).toBe(false))
})
