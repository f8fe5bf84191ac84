import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface AskHookOptions {
  readonly remoraHome: string
  /** The unix socket of the server. */
  readonly socket: string
  readonly agent: string
  readonly live: string
}

/**
 * Writes the program that a hook runs to wait for a decision, and returns its command line.
 *
 * @example const command = await writeAskHook({ remoraHome, socket, agent: 'claude', live: 'l-7f3k9q' })
 */
export async function writeAskHook({ remoraHome, socket, agent, live }: AskHookOptions): Promise<string> {
  const folder = join(remoraHome, 'hooks')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await put(join(folder, 'remora-ask.mjs'), askHookProgram, 0o600)
  const script = join(folder, 'remora-ask')
  await put(script, askHookScript(process.execPath), 0o700)
  return [script, agent, live, socket].map(quoted).join(' ')
}

/** Atomic, because an agent may start the program at any time. */
async function put(file: string, text: string, mode: number): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return
  const fresh = `${file}.${process.pid}.new`
  await writeFile(fresh, text, { mode })
  await chmod(fresh, mode)
  await rename(fresh, file)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/**
 * Sends the payload to the server and prints its response. Without a server, or when it stops, it prints `{}`, so the
 * agent's own dialog decides.
 */
function askHookScript(node: string): string {
  return `#!/bin/sh
# Remora lets a phone or another terminal answer what an agent asks here: remora-ask <agent> <live id> <socket>
exec 2>/dev/null
agent=$1 live=$2 socket=$3
payload=$(cat)
answer=
# Only a socket of the user's own, in a folder of his own: whoever else listens there would decide for him.
if [ -S "$socket" ] && [ -O "$socket" ] && [ -O "\${socket%/*}" ]; then
  tried=2
  if command -v curl >/dev/null; then
    answer=$(printf %s "$payload" | curl -q -sf --noproxy '*' --unix-socket "$socket" \\
      -H 'content-type: application/json' --data-binary @- "http://localhost/api/hooks/ask?agent=$agent&live=$live")
    tried=$?
  fi
  # A curl that is too old says so by 2, and has asked nobody.
  if [ $tried -eq 2 ]; then
    answer=$(printf %s "$payload" | ${quoted(node)} "\${0%/*}/remora-ask.mjs" "$socket" "/api/hooks/ask?agent=$agent&live=$live")
  fi
fi
case $answer in
'{'*'}') printf '%s\\n' "$answer" ;;
*) echo '{}' ;;
esac
exit 0
`
}

/** The same without curl. */
const askHookProgram = `import { request } from 'node:http'
const [, , socketPath, path] = process.argv
const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const headers = { 'content-type': 'application/json', host: 'localhost' }
const asking = request({ socketPath, path, method: 'POST', headers, timeout: 0 }, async (response) => {
  const said = []
  for await (const chunk of response) said.push(chunk)
  if (response.statusCode === 200) process.stdout.write(Buffer.concat(said))
})
asking.on('error', () => {})
asking.end(Buffer.concat(chunks))
`
