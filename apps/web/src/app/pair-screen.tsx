import { type ChangeEvent, type FormEvent, useEffect, useState } from 'react'
import { client } from '../state/client.ts'
import { useConnection } from '../state/connection.ts'
import { local } from '../state/local.ts'
import { api, ApiError } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Button } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { pairingCode } from '../pair/pairing-code.ts'
import { readCode } from '../pair/read-code.ts'

/** Pairs this device with a one-time code. */
export function PairScreen() {
  const [code, setCode] = useState(() => readCode(pairingCode.given ?? ''))
  const [name, setName] = useState(() => getDeviceName(navigator.userAgent))
  const [isBusy, setBusy] = useState(pairingCode.given !== undefined)
  const [problem, setProblem] = useState<ApiError>()
  // A device that was paired before sees why it has to pair again.
  const wasPaired = local.read<boolean>('paired') === true && !isBusy

  const pair = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await api.post('/api/pair', { body: { code: readCode(code), name: name.trim() || getDeviceName('') } })
      pairingCode.given = undefined
      local.write('paired', true)
      client.reconnect()
      useConnection.setState({ state: 'connecting', since: Date.now() })
    } catch (error) {
      pairingCode.given = undefined
      useConnection.setState({ state: 'unpaired' })
      setProblem(error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error)))
    } finally {
      setBusy(false)
    }
  }
  // A scanned QR code contains the pairing code.
  useEffect(() => {
    if (pairingCode.given) void pair()
  }, [])

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void pair()
  }
  const type = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const { value, selectionEnd } = target
    // Reformatting in the middle of the code would move the cursor.
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
          variant="primary"
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

/** A readable name for this device. @example getDeviceName(navigator.userAgent) // 'iPhone, Safari' */
function getDeviceName(userAgent: string): string {
  const machine =
    /iPhone|iPad|Android|Macintosh|Windows|CrOS|Linux/
      .exec(userAgent)?.[0]
      .replace('Macintosh', 'Mac')
      .replace('CrOS', 'Chromebook') ?? ''
  const browser = /Edg|OPR|Firefox|SamsungBrowser|Chrome|Safari/
    .exec(userAgent)?.[0]
    .replace('Edg', 'Edge')
    .replace('OPR', 'Opera')
    .replace('SamsungBrowser', 'Samsung')
  return [machine, browser].filter(Boolean).join(', ') || 'Browser'
}
