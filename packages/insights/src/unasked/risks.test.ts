import { describe, expect, it } from 'vitest'
import { findRisks } from './risks.ts'

const cwd = '/home/ann/app'
const shell = (command: string) => findRisks({ tool: 'Bash', input: { command }, cwd }).map(({ id }) => id)
const tool = (name: string, input: unknown) => findRisks({ tool: name, input, cwd }).map(({ id }) => id)

describe('the risks of a command', () => {
  it.each([
    ['ls -la', ['command']],
    ['git status && git diff', ['command']],
    ['rm -rf build', ['deletion']],
    ['/bin/rm build', ['deletion']],
    ['cd src; rm old.ts', ['deletion']],
    ['if true; then rm old.ts; fi', ['deletion']],
    ['find . -name "*.tmp" -delete', ['deletion']],
    ['find . -name "*.tmp"', ['command']],
    ['git reset --hard HEAD~1', ['deletion']],
    ['git reset HEAD file', ['command']],
    ['git branch -D feature', ['deletion']],
    ['git branch', ['command']],
    ['git checkout -- .', ['deletion']],
    ['git push --force', ['publishing']],
    ['gh pr merge 3', ['publishing']],
    ['npm publish', ['publishing']],
    ['sudo rm /etc/hosts', ['deletion', 'privileges']],
    ['chmod 777 run.sh', ['privileges']],
    ['echo x > /etc/motd', ['outside']],
    ['echo x >> ../other/file', ['outside']],
    ['echo x > out.txt', ['command']],
    [`echo x > ${cwd}/out.txt`, ['command']],
    ['make 2>/dev/null >&2', ['command']],
    ['cat ~/.ssh/id_rsa', ['credentials']],
    ['cat .env', ['credentials']],
    ['cat .env.example', ['command']],
    ['curl -s https://example.com', ['network']],
    ['git pull', ['network']],
    ['npm test', ['packages']],
    ['npm view zod', ['command']],
    ['yarn', ['packages']],
    ['npx cowsay', ['packages']],
    ['pip install requests', ['packages']],
    ['python -c "import os"', ['code']],
    ['node -e 1', ['code']],
    ['node server.js', ['command']],
    ['ls | xargs rm', ['deletion', 'code']],
    ['cat <<EOF > a.txt\nx\nEOF', ['unreadable']],
    ['echo "$(rm a)"', ['unreadable']],
    ['case x in', ['unreadable']],
    ['', ['unreadable']],
  ])('%s', (command, risks) => {
    expect(shell(command)).toEqual(risks)
  })
})

describe('the risks of other tools', () => {
  it.each([
    ['Read', { file_path: 'src/a.ts' }, []],
    ['Read', { file_path: '/home/ann/.aws/credentials' }, ['credentials']],
    ['Edit', { file_path: 'src/a.ts' }, ['edit']],
    ['Write', { filePath: `${cwd}/../other/a.ts` }, ['outside']],
    ['Write', { absolute_path: '/etc/hosts' }, ['outside']],
    ['Edit', { input: '*** Begin Patch\n*** Update File: ../b.ts\n*** End Patch' }, ['outside']],
    ['Edit', '*** Begin Patch\n*** Add File: b.ts\n*** End Patch', ['edit']],
    ['WebFetch', { url: 'https://example.com' }, ['network']],
    ['mcp__files__move', { from: 'a', to: 'b' }, ['tool']],
    ['Grep', null, []],
  ])('%s %o', (name, input, risks) => {
    expect(tool(name, input)).toEqual(risks)
  })
})
