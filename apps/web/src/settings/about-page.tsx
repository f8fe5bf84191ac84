import { useEffect, useState } from 'react'
import { version } from '../../package.json'
import { DemoButton } from '../demo/demo-button.tsx'
import { useConnection } from '../state/connection.ts'
import { toast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { words } from '../words/index.ts'
import { ConfirmSheet } from '../ui/confirm-sheet.tsx'
import { clearCache } from './clear-data.ts'
import { Group } from './group.tsx'

/** The versions, and the data on this device. */
export function AboutPage() {
  const server = useConnection(({ version: of }) => of)
  const [size, setSize] = useState<number>()
  const [isAsked, setAsked] = useState(false)
  useEffect(() => {
    navigator.storage?.estimate().then(
      ({ usage }) => setSize(usage),
      () => {},
    )
  }, [isAsked])
  return (
    <>
      <div className="flex flex-col items-center gap-2 py-4 text-center">
        <Logo className="size-16" />
        <p className="text-xl font-semibold">{words.app.name}</p>
        <p className="max-w-sm text-dim">{words.settings.noTelemetry}</p>
      </div>
      <DemoButton />
      <Group>
        <Fact name={words.settings.appVersion} value={version} />
        <Fact name={words.settings.serverVersion} value={server ?? words.settings.unknownVersion} />
        <Fact name={words.settings.licence} value={words.settings.licenceName} />
      </Group>
      <Group title={words.settings.docs}>
        <p className="p-4">{words.settings.docsHint}</p>
      </Group>
      <Group title={words.settings.data}>
        <div className="flex flex-col items-start gap-3 p-4">
          <p>{words.settings.dataHint}</p>
          {size !== undefined && <p className="text-dim">{words.settings.dataSize(formatSize(size))}</p>}
          <Button variant="risky" className="min-h-12" onClick={() => setAsked(true)}>
            {words.settings.clearData}
          </Button>
        </div>
      </Group>
      {isAsked && (
        <ConfirmSheet
          title={words.settings.clearDataAsk}
          hint={words.settings.clearDataHint}
          action={words.settings.clearData}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await clearCache()
            toast(words.settings.dataCleared)
          }}
        />
      )}
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <p className="flex min-h-12 items-center justify-between gap-6 border-b border-line px-4 py-2 last:border-b-0">
      <span className="text-dim">{name}</span>
      <span className="text-right break-words">{value}</span>
    </p>
  )
}

/** @example formatSize(1_500_000) // '1.5 MB' */
function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
