import type { Device, Person } from '@remora/protocol/api'
import { type FormEvent, useId, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { toast, toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { EditIcon, PhoneIcon, TrashIcon } from '../ui/icons.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { words } from '../words/index.ts'
import { ConfirmSheet } from '../ui/confirm-sheet.tsx'
import { unpairDevice } from './clear-data.ts'
import { Group } from './group.tsx'
import { Busy } from '../ui/busy.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { useLoaded } from './use-loaded.ts'
import { Sheet } from '../ui/sheet.tsx'
import { TextField } from '../ui/text-field.tsx'

const loadDevices = (signal: AbortSignal) => api.get('/api/devices', { signal })
const loadPeople = (signal: AbortSignal) => api.get('/api/people', { signal })

type Open = { readonly what: 'rename' | 'revoke' | 'unpair'; readonly device: Device }

/** The paired devices. */
export function DevicesPage() {
  const { value, problem, reload } = useLoaded(loadDevices)
  const { value: known } = useLoaded(loadPeople)
  const me = useConnection(({ client }) => client)
  const isOwner = useConnection(({ role }) => role === undefined || role === 'owner')
  const [open, setOpen] = useState<Open>()
  if (!value) return problem ? <LoadError error={problem} onRetry={reload} /> : <Busy />
  const own = value.devices.find(({ id }) => id === me)
  const others = value.devices.filter(({ id }) => id !== me)
  const people = [...new Set(others.map(({ person }) => person))].toSorted(
    (a, b) => Number(b === own?.person) - Number(a === own?.person),
  )
  const hint = isOwner ? words.settings.otherNames : words.settings.onlyOwners
  const close = (): void => setOpen(undefined)
  return (
    <>
      {own && (
        <Group title={words.settings.thisDevice}>
          <DeviceRow device={own}>
            <IconButton
              label={words.settings.rename}
              onClick={() => setOpen({ what: 'rename', device: own })}
            >
              <EditIcon />
            </IconButton>
          </DeviceRow>
        </Group>
      )}
      {people.map((person, index) => (
        <Group
          key={person}
          title={person === own?.person ? words.settings.otherDevices : getTitle(person, known?.people)}
          hint={index < people.length - 1 ? undefined : hint}
        >
          {others
            .filter((device) => device.person === person)
            .map((device) => (
              <DeviceRow key={device.id} device={device}>
                {isOwner && (
                  <IconButton
                    label={words.settings.revokeDevice(device.name)}
                    onClick={() => setOpen({ what: 'revoke', device })}
                  >
                    <TrashIcon />
                  </IconButton>
                )}
              </DeviceRow>
            ))}
        </Group>
      ))}
      <p className="px-1 text-sm text-dim">
        {words.settings.pairMore}{' '}
        <code className="rounded-md bg-code px-1.5 py-0.5 font-mono text-ink">{words.pair.command}</code>
      </p>
      {own && (
        <Button variant="risky" className="min-h-12" onClick={() => setOpen({ what: 'unpair', device: own })}>
          {words.settings.unpair}
        </Button>
      )}
      {open?.what === 'rename' && (
        <RenameSheet
          device={open.device}
          onClose={() => {
            close()
            reload()
          }}
        />
      )}
      {open?.what === 'revoke' && (
        <ConfirmSheet
          title={words.settings.revokeAsk(open.device.name)}
          hint={words.settings.revokeHint}
          action={words.settings.revoke}
          onClose={close}
          onConfirm={async () => {
            await api.delete('/api/devices/:id', { params: { id: open.device.id } })
            toast(words.settings.revoked)
            reload()
          }}
        />
      )}
      {open?.what === 'unpair' && (
        <ConfirmSheet
          title={words.settings.unpairAsk}
          hint={words.settings.unpairHint}
          action={words.settings.unpair}
          onClose={close}
          onConfirm={unpairDevice}
        />
      )}
    </>
  )
}

function getTitle(name: string, people: readonly Person[] | undefined): string {
  const role = people?.find((each) => each.name === name)?.role
  return words.settings.personDevices(name, role && words.settings.roles[role])
}

function DeviceRow({ device, children }: { readonly device: Device; readonly children: React.ReactNode }) {
  const { name, pairedAt, seenAt } = device
  const date = new Date(pairedAt).toLocaleDateString(words.language, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
  const ago = formatTimeAgo(seenAt)
  const seen = ago === words.time.now ? words.settings.seenNow : words.settings.seenAgo(ago)
  return (
    <div
      data-testid="device"
      className="flex min-h-16 items-center gap-3 border-b border-line py-2 pr-2 pl-4 last:border-b-0"
    >
      <span className="shrink-0 text-dim">
        <PhoneIcon />
      </span>
      <span className="min-w-0 flex-1">
        <bdi className="block font-medium break-words [overflow-wrap:anywhere]">{name}</bdi>
        <span className="block text-sm text-dim">
          {words.settings.pairedAt(date)} · {words.settings.seenAt(seen)}
        </span>
      </span>
      {children}
    </div>
  )
}

function RenameSheet({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const [name, setName] = useState(device.name)
  const form = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    api
      .patch('/api/devices/:id', { params: { id: device.id }, body: { name: name.trim() } })
      .then(onClose, toastError)
  }
  return (
    <Sheet
      title={words.settings.rename}
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form={form}
          variant="primary"
          wide
          disabled={name.trim() === ''}
          className="mb-2 min-h-12"
        >
          {words.settings.save}
        </Button>
      }
    >
      <form id={form} onSubmit={submit}>
        <TextField label={words.settings.name} value={name} maxLength={60} onText={setName} />
      </form>
    </Sheet>
  )
}
