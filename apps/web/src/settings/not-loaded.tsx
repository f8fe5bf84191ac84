import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { words } from '../words/index.ts'
import type { Loaded } from './use-loaded.ts'

/** In the place of what is not here: it is on its way, or did not come. */
export function NotLoaded({ problem, reload }: Pick<Loaded<unknown>, 'problem' | 'reload'>) {
  if (!problem) return <Busy />
  return (
    <Empty title={problem.message} {...(problem.hint ? { hint: problem.hint } : {})}>
      <Button onClick={reload}>{words.app.retry}</Button>
    </Empty>
  )
}
