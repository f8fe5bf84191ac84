import { type ChangeEvent, type FormEvent, useEffect, useState } from 'react'
import { client } from '../state/client.ts'
import { useConnection } from '../state/connection.ts'
import { local } from '../state/local.ts'
import { ApiError, api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Button } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { deviceName } from './device-name.ts'
import { pairingCode } from './pairing-code.ts'
import { readCode } from './read-code.ts'

/** The door: a code from the computer lets this device in, once. */
export function PairScreen() {
  const [code, setCode] = useState(() => readCode(pairingCode.given ?? ''))
  const [name, setName] = useState(() => deviceName(navigator.userAgent))
  const [isBusy, setBusy] = useState(pairingCode.given !== undefined)
  const [problem, setProblem] = useState<ApiError>()
  // Who was inside a moment ago wants to know why not any more.
  const wasPaired = local.read<boolean>('paired') === true && !isBusy

  const pair = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await api.post('/api/pair', { body: { code: readCode(code), name: name.trim() || deviceName('') } })
      pairingCode.given = undefined
      local.write('paired', true)
      client.again()
      useConnection.setState({ state: 'connecting', since: Date.now() })
    } catch (error) {
      pairingCode.given = undefined
      useConnection.setState({ state: 'unpaired' })
      setProblem(error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error)))
    } finally {
      setBusy(false)
    }
  }
  // Who has scanned the picture has nothing to type.
  useEffect(() => {
    if (pairingCode.given) void pair()
  }, [])

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void pair()
  }
  const type = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const { value, selectionEnd } = target
    // In the midst of a code its signs stay where they are, or the cursor would jump.
    const isAtEnd = selectionEnd === value.length && value.length >= code.length
    setCode(isAtEnd || value.includes('pair=') ? readCode(value) : value.toUpperCase())
  }
  return (
    <main className="pt-safe flex min-h-dvh flex-col items-center justify-center overflow-y-auto bg-paper px-5 py-8">
      <form
        onSubmit={submit}
        className="flex w-full max-w-md flex-col gap-6 lg:rounded-3xl lg:border lg:border-line lg:bg-raised lg:p-10 lg:shadow-xl"
      >
        <div className="flex flex-col items-center gap-4 text-center">
          <Logo className="size-20" />
          <h1 className="text-[1.75rem] leading-tight font-semibold">{words.pair.title}</h1>
          {wasPaired ? (
            <p role="status" className="max-w-sm rounded-xl bg-warn-soft px-4 py-3 text-warn">
              {words.pair.revoked}
            </p>
          ) : (
            <p className="max-w-sm text-dim">{words.pair.lead}</p>
          )}
        </div>
        <p className="rounded-card bg-sunken px-4 py-3 text-center">
          {words.pair.how}{' '}
          <code className="rounded-md bg-raised px-1.5 py-0.5 font-mono font-semibold">
            {words.pair.command}
          </code>{' '}
          {words.pair.then}
        </p>
        <label className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{words.pair.code}</span>
          <input
            value={code}
            onChange={type}
            autoCapitalize="characters"
            autoComplete="one-time-code"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="go"
            placeholder={words.pair.sample}
            required
            aria-invalid={problem?.code === 'auth'}
            className="min-h-16 rounded-2xl border border-line bg-raised px-3 text-center font-mono text-[1.375rem] tracking-[0.12em] placeholder:text-faint placeholder:opacity-50 lg:bg-paper"
          />
        </label>
        <label className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{words.pair.name}</span>
          <input
            value={name}
            onChange={({ target }) => setName(target.value)}
            maxLength={60}
            dir="auto"
            className="min-h-12 rounded-2xl border border-line bg-raised px-4 lg:bg-paper"
          />
        </label>
        {problem && (
          <div role="alert" className="rounded-card bg-bad-soft p-4 text-sm">
            <p className="font-medium text-bad">{problem.message}</p>
            <p>{problem.hint ?? words.pair.expired}</p>
          </div>
        )}
        <Button
          type="submit"
          look="primary"
          wide
          disabled={isBusy || code.trim() === ''}
          className="min-h-14 rounded-2xl text-base"
        >
          {isBusy ? words.pair.pairing : words.pair.pair}
        </Button>
      </form>
    </main>
  )
}
