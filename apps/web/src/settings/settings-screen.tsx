import type { ComponentType } from 'react'
import { Link, useParams } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { NotificationsPage } from './notifications-page.tsx'
import { Empty } from '../ui/empty.tsx'
import { BellIcon, EyeIcon, PhoneIcon, QuestionIcon, ReviewIcon, RightIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { AboutPage } from './about-page.tsx'
import { AppearancePage } from './appearance-page.tsx'
import { DevicesPage } from './devices-page.tsx'
import { InstructionsPage } from './instructions-page.tsx'
import { useConnection } from '../state/connection.ts'

interface Part {
  readonly name: string
  readonly title: string
  readonly hint: string
  readonly Icon: ComponentType
  readonly Page: ComponentType
}

const parts: readonly Part[] = [
  {
    name: 'devices',
    title: words.settings.devices,
    hint: words.settings.devicesHint,
    Icon: PhoneIcon,
    Page: DevicesPage,
  },
  {
    name: 'notifications',
    title: words.notifications.title,
    hint: words.settings.notificationsHint,
    Icon: BellIcon,
    Page: NotificationsPage,
  },
  {
    name: 'instructions',
    title: words.settings.instructions,
    hint: words.settings.instructionsHint,
    Icon: ReviewIcon,
    Page: InstructionsPage,
  },
  {
    name: 'appearance',
    title: words.settings.appearance,
    hint: words.settings.appearanceHint,
    Icon: EyeIcon,
    Page: AppearancePage,
  },
  {
    name: 'about',
    title: words.settings.about,
    hint: words.settings.aboutHint,
    Icon: QuestionIcon,
    Page: AboutPage,
  },
]

/** The settings, one page per topic. */
export function SettingsScreen() {
  const { '*': name = '' } = useParams()
  if (name === '') return <Contents />
  const part = parts.find((each) => each.name === name)
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader title={part?.title ?? words.settings.title} back={routes.settings} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex w-full max-w-2xl flex-col gap-5 p-4 pb-10">
          {part ? <part.Page /> : <Empty title={words.app.notFound} hint={words.app.notFoundHint} />}
        </div>
      </div>
    </section>
  )
}

function Contents() {
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader title={words.settings.title} back={routes.sessions} />
      <nav aria-label={words.settings.title} className="min-h-0 flex-1 overflow-y-auto">
        <CurrentUser />
        <ul className="mx-auto my-4 w-[calc(100%-2rem)] max-w-2xl overflow-hidden rounded-card border border-line bg-raised">
          {parts.map(({ name, title, hint, Icon }) => (
            <li key={name} className="border-b border-line last:border-b-0">
              <Link
                href={`${routes.settings}/${name}`}
                className="flex min-h-18 items-center gap-4 px-4 py-2 -outline-offset-2 hover:bg-sunken"
              >
                <span className="flex size-10 shrink-0 items-center justify-center rounded-xl bg-accent-soft text-accent">
                  <Icon />
                </span>
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{title}</span>
                  <span className="block text-sm text-dim">{hint}</span>
                </span>
                <span className="text-dim">
                  <RightIcon />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </section>
  )
}

/** The user of this device and their role. */
function CurrentUser() {
  const person = useConnection(({ person: name }) => name)
  const role = useConnection(({ role: now }) => now)
  if (person === undefined || role === undefined) return null
  return (
    <div data-testid="you" className="mx-auto w-full max-w-2xl px-6 pt-4">
      <p className="font-medium break-words [overflow-wrap:anywhere]">
        {words.settings.youAre(person, words.settings.roles[role])}
      </p>
      <p className="text-sm text-dim">{words.settings.roleHints[role]}</p>
    </div>
  )
}
