/** The environment variable that marks all processes of a run, to find those that left their parent and group. */
export const runVariable = 'REMORA_RUN'

/** A nested run carries both marks, so that ending the outer run ends the inner one too. */
export function joinMarks(outer: string | undefined, run: string): string {
  return outer ? `${outer}:${run}` : run
}

/** Whether a block of `NAME=value` pairs, separated by NUL as in /proc, carries the mark. */
export function carriesMark(environ: string, run: string): boolean {
  const prefix = `${runVariable}=`
  const entry = environ.split('\0').find((pair) => pair.startsWith(prefix))
  return entry !== undefined && entry.slice(prefix.length).split(':').includes(run)
}
