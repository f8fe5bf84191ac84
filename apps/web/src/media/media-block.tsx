import type { MediaBlock } from '@remora/protocol'
import { memo, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { FileIcon, PlayIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { words } from '../words/index.ts'
import { Linked } from '../markdown/inline.tsx'
import { toBlob, getMediaName, getMediaSource } from './media-source.ts'

/** An image, audio, video or document. Nothing is fetched from other hosts; such media become links. */
export const MediaView = memo(function MediaView({ block }: { readonly block: MediaBlock }) {
  const place = getMediaSource(block)
  const kind = words.message[block.type] ?? words.message.document
  const name = getMediaName(block) ?? kind
  switch (place.kind) {
    case 'shown':
      return <ImageView address={place.address} name={name} />
    case 'bytes':
      return block.type === 'document' ? (
        <Saved data={place.data} mediaType={place.mediaType} name={name} />
      ) : (
        <Played kind={block.type} data={place.data} mediaType={place.mediaType} name={name} />
      )
    case 'file':
      return (
        <a
          href={place.address}
          download={name}
          className="inline-flex min-h-11 max-w-full items-center gap-2 rounded-xl border border-line bg-raised px-3 text-sm"
        >
          <FileIcon className="size-4 shrink-0" />
          <span className="truncate">{name}</span>
        </a>
      )
    case 'remote':
      return (
        <p className="text-sm">
          {kind}: <Linked href={place.address}>{place.address.slice(0, 300)}</Linked>
        </p>
      )
    default:
      return <Broken name={name} />
  }
})

function Broken({ name }: { readonly name: string }) {
  return (
    <p className="inline-flex min-h-11 max-w-full items-center gap-2 rounded-xl border border-line px-3 text-sm text-dim">
      <FileIcon className="size-4 shrink-0" />
      <span className="truncate">{name}</span>
      <span className="shrink-0 text-faint">{words.message.broken}</span>
    </p>
  )
}

/** The height is fixed, so that nothing moves when the image loads. */
function ImageView({ address, name }: { readonly address: string; readonly name: string }) {
  const [isBroken, setBroken] = useState(false)
  const [isLarge, setLarge] = useState(false)
  if (isBroken) return <Broken name={name} />
  return (
    <>
      <button
        type="button"
        aria-label={words.message.enlarge(name)}
        onClick={() => setLarge(true)}
        className="block h-40 max-w-full min-w-11 overflow-hidden rounded-xl border border-line bg-sunken"
      >
        <img
          src={address}
          alt={name}
          decoding="async"
          onError={() => setBroken(true)}
          className="h-full max-w-full object-contain"
        />
      </button>
      {isLarge && (
        <Sheet title={name} onClose={() => setLarge(false)}>
          <img src={address} alt={name} className="mx-auto max-h-[75dvh] max-w-full object-contain" />
        </Sheet>
      )}
    </>
  )
}

/** Audio and video are decoded on request. */
function Played({
  kind,
  data,
  mediaType,
  name,
}: {
  readonly kind: 'image' | 'audio' | 'video'
  readonly data: string
  readonly mediaType: string
  readonly name: string
}) {
  const [address, setAddress] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address])
  if (isBroken) return <Broken name={name} />
  if (address === undefined)
    return (
      <Button
        onClick={() => {
          const blob = toBlob(data, mediaType)
          if (blob) setAddress(URL.createObjectURL(blob))
          else setBroken(true)
        }}
        className="max-w-full"
      >
        <PlayIcon className="size-4" />
        <span className="truncate">{name}</span>
        <span className="sr-only">{words.message.play}</span>
      </Button>
    )
  const Tag = kind === 'video' ? 'video' : 'audio'
  return (
    <Tag
      src={address}
      controls
      autoPlay
      aria-label={name}
      onError={() => setBroken(true)}
      className="max-h-80 max-w-full rounded-xl"
    />
  )
}

function Saved({
  data,
  mediaType,
  name,
}: {
  readonly data: string
  readonly mediaType: string
  readonly name: string
}) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <Broken name={name} />
  const save = (): void => {
    const blob = toBlob(data, mediaType)
    if (!blob) {
      setBroken(true)
      return
    }
    const address = URL.createObjectURL(blob)
    const link = document.createElement('a')
    link.href = address
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
  return (
    <Button onClick={save} className="max-w-full">
      <FileIcon className="size-4" />
      <span className="truncate">{name}</span>
      <span className="sr-only">{words.message.save}</span>
    </Button>
  )
}
