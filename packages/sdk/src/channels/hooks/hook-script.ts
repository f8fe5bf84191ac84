/**
 * The recorder hook: a program that every agent's CLI starts for every event, so it is a few lines of sh with a single
 * fork. It needs nothing but the spool folder beside its own, says nothing, and never fails. For the given agents it
 * prints nothing.
 *
 * @example await writeFile(join(remoraHome, 'hooks', 'remora-hook'), createHookScript(), { mode: 0o755 })
 */
export function createHookScript(silentAgents: readonly string[] = []): string {
  const conditions = silentAgents.map((agent) => `[ "$agent" = ${agent} ] || `).join('')
  return `#!/bin/sh
# Remora keeps here what a coding agent tells its hooks, for its ledger: remora-hook <agent> [payload]
exec 2>/dev/null
trap '' PIPE XFSZ
umask 077
agent=\${1%-notify} count=$# kept= n=-1
for payload do true; done
# An agent that shows its model whatever a hook prints is named here.
${conditions}echo '{}'
spool=\${0%/*}/../spool
shard=$spool/$(($$ % 64))
[ -d "$shard" ] || mkdir -p "$shard"
# At most 64 entries of two files each; and a name that exists is not taken again.
set -C -- "$shard"/*
ulimit -f 16384
while [ $# -lt 128 ] && [ $((n += 1)) -lt 100 ]; do
  file=$shard/$agent.$$.$n
  true >"$file" || continue
  if [ $count -gt 1 ]; then printf %s "$payload" >|"$file"; else cat >|"$file"; fi &&
    if [ -s "$file" ]; then true >"$file.ready"; fi && kept=yes || true >|"$file"
  break
done
if [ ! "$kept" ]; then echo >>"$spool/refused"; [ $count -gt 1 ] || cat >/dev/null; fi
exit 0
`
}

/** Whether this is the current script for any agents. Only its comments may be those of another version. */
export function isCurrentScript(text: string): boolean {
  return removeComments(text) === removeComments(createHookScript(listSilentAgents(text)))
}

/** The agents for which a script of this or an earlier version prints nothing. */
export function listSilentAgents(text: string): string[] {
  return [...text.matchAll(/\[ "\$agent" = ([\da-z-]+) \] \|\| /g)].map(([, agent]) => agent!)
}

function removeComments(text: string): string {
  return text.replaceAll(/^# .*\n/gm, '')
}
