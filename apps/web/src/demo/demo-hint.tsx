import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useLiveSession } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { useDemo } from './start-demo.ts'

/** The first steps, shown only in the demo session. */
export function DemoHint({ session }: { readonly session: SessionKey }) {
  const demo = useDemo(({ live }) => live)
  const live = useLiveSession(session)
  if (!live || live.id !== demo) return null
  const text = words.demo.hints[live.state]
  if (text === undefined) return null
  return (
    <p
      role="note"
      className="mx-4 my-2 max-w-[54rem] rounded-xl bg-accent-soft px-4 py-2 text-sm lg:self-center"
      data-testid="demo-hint"
    >
      {text}
      {live.state === 'idle' && (
        <>
          {' '}
          <Link href={routes.newSession} className="font-medium text-accent underline">
            {words.demo.own}
          </Link>
        </>
      )}
    </p>
  )
}
