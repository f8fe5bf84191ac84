import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { words } from '../words/index.ts'
import type { Loaded } from './use-loaded.ts'

/** Shown while loading, or after an error. */
export function NotLoaded({ problem, reload }: Pick<Loaded<unknown>, 'problem' | 'reload'>) {
  if (!problem) return <Busy />
  return (
    <Empty title={problem.message} {...(problem.hint ? { hint: problem.hint } : {})}>
      <Button onClick={reload}>{words.app.retry}</Button>
    </Empty>
  )
}
