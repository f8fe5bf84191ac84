import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { words } from '../words/index.ts'
import { startDemo, useDemo } from './start-demo.ts'

/** Shows the progress of the demo and opens its session. */
export function DemoSheet() {
  const isOpen = useDemo((store) => store.isOpen)
  return isOpen ? <OpenSheet /> : null
}

function OpenSheet() {
  const demo = useDemo((store) => store.demo)
  const [, go] = useLocation()
  const [tries, setTries] = useState(0)
  const close = (): void => useDemo.setState({ isOpen: false })
  useEffect(() => {
    let isGone = false
    void startDemo().then((live) => {
      if (isGone || !live) return
      close()
      go(routes.session(live))
    })
    return () => {
      isGone = true
    }
  }, [tries, go])

  const error = demo?.state === 'failed' ? demo.error : undefined
  return (
    <Sheet
      title={words.demo.title}
      onClose={close}
      footer={
        error && (
          <Button variant="primary" wide onClick={() => setTries(tries + 1)}>
            {words.app.retry}
          </Button>
        )
      }
    >
      <p className="text-dim">{words.demo.what}</p>
      {error ? (
        <div role="alert" className="mt-4 rounded-xl bg-bad-soft p-3">
          <p className="font-medium break-words text-bad">{error.message || words.app.failed}</p>
          {error.hint && <p className="mt-1 text-sm break-words text-dim">{error.hint}</p>}
        </div>
      ) : (
        <Progress />
      )}
      <h3 className="mt-5 font-medium">{words.demo.then}</h3>
      <ol className="mt-1 list-decimal pl-5 text-dim">
        {words.demo.steps.map((step) => (
          <li key={step} className="mt-1">
            {step}
          </li>
        ))}
      </ol>
    </Sheet>
  )
}

function Progress() {
  const demo = useDemo((store) => store.demo)
  const { state, seconds = 0, usualSeconds, megabytes } = demo ?? { state: 'starting' }
  const text = state === 'installing' ? words.demo.installing(megabytes ?? 0) : words.demo.starting
  // The bar never reaches the end early.
  const part = usualSeconds ? Math.min(0.95, seconds / usualSeconds) : 0
  return (
    <div className="mt-4">
      <p role="status">{text}</p>
      <div
        role="progressbar"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-700"
          style={{ width: `${Math.round(part * 100)}%` }}
        />
      </div>
      {seconds > 0 && <p className="mt-1 text-sm text-dim">{words.demo.seconds(seconds, usualSeconds)}</p>}
    </div>
  )
}
