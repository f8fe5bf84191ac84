import { words } from '../words/index.ts'
import { platform } from '../notifications/platform.ts'
import type { Possibility } from '../notifications/push.ts'
import { Steps } from './steps.tsx'

/** Why no notification can come here, and what would help. */
export function NotPossible({ why }: { readonly why: Exclude<Possibility, 'possible'> }) {
  const { blocked, blockedHint, blockedSteps, impossible, installFirst, installSteps, noSupport, notSecure } =
    words.notifications
  const hints = {
    blocked: blockedHint,
    'install first': installFirst,
    'no support': noSupport,
    'not secure': notSecure,
  }
  return (
    <section className="flex flex-col gap-3 rounded-card border border-line bg-raised p-5">
      <h2 className="text-lg font-semibold">{why === 'blocked' ? blocked : impossible}</h2>
      <p>{hints[why]}</p>
      {why === 'blocked' && <Steps steps={blockedSteps[platform().kind]} />}
      {why === 'install first' && <Steps steps={installSteps.apple} />}
    </section>
  )
}
