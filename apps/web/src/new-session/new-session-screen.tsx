import type { AgentInfo } from '@remora/protocol/api'
import { type FormEvent, useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { DemoButton } from '../demo/demo-button.tsx'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { startLive } from '../sessions/start-live.ts'
import { local } from '../state/local.ts'
import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { PlayIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { Switch } from '../ui/switch.tsx'
import { api, ApiError } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { AgentCards } from './agent-cards.tsx'
import { AgentOptions } from './agent-options.tsx'
import {
  type Choices,
  lastAgent,
  readChoices,
  rememberChoices,
  startChannels,
  startRequest,
} from './choices.ts'
import { Field, fieldStyle } from './form-field.tsx'
import { FolderField } from './folder-field.tsx'
import { cache } from '../state/cache.ts'

const draft = 'new-prompt'

/** Starts a session: agent, folder, options and prompt. */
export function NewSessionScreen() {
  const { agents, error } = useAgents()
  const preset = new URLSearchParams(useSearch())
  const isViewer = useIsViewer()
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader title={words.app.newSession} back={routes.sessions} />
      {isViewer ? (
        <Empty title={words.newSession.viewer} hint={words.settings.roleHints.viewer} />
      ) : agents ? (
        <NewSessionForm
          key={preset.toString()}
          agents={agents}
          agent={preset.get('agent') ?? undefined}
          cwd={preset.get('cwd') ?? undefined}
        />
      ) : error ? (
        <Empty title={error.message} hint={error.hint ?? words.newSession.offlineHint} />
      ) : (
        <Busy />
      )}
    </section>
  )
}

interface FormProps {
  readonly agents: readonly AgentInfo[]
  /** Presets from the URL. */
  readonly agent: string | undefined
  readonly cwd: string | undefined
}

function NewSessionForm({ agents, agent: wanted, cwd }: FormProps) {
  const [, go] = useLocation()
  const [agentId, setAgentId] = useState(() => firstChoice(agents, wanted))
  const [choices, setChoices] = useState<Choices>(() => presetChoices(agentId, cwd))
  const [prompt, setPrompt] = useState(local.read<string>(draft) ?? '')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiError>()
  const places = usePlaces()
  const isOnline = useConnection(({ state }) => state === 'online')
  const agent = agents.find(({ id }) => id === agentId)
  const change = (part: Partial<Choices>): void => {
    setProblem(undefined)
    setChoices((before) => ({ ...before, ...part }))
  }

  useEffect(() => {
    local.write(draft, prompt === '' ? undefined : prompt)
  }, [prompt])

  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (!agent || isBusy) return
    if (choices.cwd.trim() === '') return setProblem(new ApiError(400, 'usage', words.newSession.needsFolder))
    setBusy(true)
    setProblem(undefined)
    try {
      const live = await startLive(startRequest(agent, choices, { prompt, home: places?.home }))
      rememberChoices(agent, choices)
      local.write(draft, undefined)
      go(routes.session(live), { replace: true })
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error)))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void start(event)} className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-5">
          {agents.every(({ installed }) => !installed) && <NoAgents />}
          <AgentCards
            agents={agents}
            chosen={agentId}
            onChoose={(id) => {
              setAgentId(id)
              setProblem(undefined)
              // The folder stays when another agent is chosen.
              setChoices((before) => ({ ...readChoices(id), cwd: before.cwd || readChoices(id).cwd }))
            }}
          />
          <FolderField value={choices.cwd} onChange={(path) => change({ cwd: path })} places={places} />
          <Field label={words.newSession.prompt}>
            <textarea
              value={prompt}
              onChange={({ target }) => setPrompt(target.value)}
              placeholder={words.newSession.promptPlaceholder}
              rows={4}
              dir="auto"
              className={`${fieldStyle} resize-y py-3`}
            />
          </Field>
          <div className="flex flex-col">
            <Switch
              label={words.newSession.worktree}
              hint={words.newSession.worktreeHint}
              checked={choices.worktree}
              onChange={(worktree) => change({ worktree })}
            />
            {choices.worktree && (
              <input
                value={choices.worktreeName}
                onChange={({ target }) => change({ worktreeName: target.value })}
                aria-label={words.newSession.worktreeName}
                placeholder={words.newSession.worktreeName}
                autoCapitalize="none"
                spellCheck={false}
                maxLength={60}
                className={`${fieldStyle} mt-1`}
              />
            )}
          </div>
          {agent && <AgentOptions key={agent.id} agent={agent} choices={choices} onChange={change} />}
        </div>
      </div>
      <footer className="pb-safe border-t border-line bg-raised pt-3">
        <div className="mx-auto flex w-full max-w-2xl flex-col gap-2 px-4">
          {problem && (
            <div role="alert" className="rounded-xl bg-bad-soft p-3 text-sm">
              <p className="font-medium break-words text-bad">{problem.message}</p>
              {problem.hint && <p className="break-words text-dim">{problem.hint}</p>}
            </div>
          )}
          {!isOnline && <p className="text-sm text-dim">{words.newSession.offlineHint}</p>}
          <Button type="submit" variant="primary" wide disabled={isBusy || !isOnline || !agent?.installed}>
            <PlayIcon />
            {isBusy ? words.newSession.starting : words.newSession.start}
          </Button>
        </div>
      </footer>
    </form>
  )
}

function NoAgents() {
  return (
    <div className="flex flex-col items-center gap-3 rounded-card bg-sunken p-5 text-center">
      <h2 className="font-semibold">{words.newSession.noAgents}</h2>
      <p className="text-dim">{words.newSession.noAgentsHint}</p>
      <DemoButton variant="primary" />
    </div>
  )
}

/** The agent in the URL, else the last used, else the first installed. */
function firstChoice(agents: readonly AgentInfo[], wanted: string | undefined): string | undefined {
  const known = (id: string | undefined): string | undefined => agents.find((agent) => agent.id === id)?.id
  const last = agents.find(({ id, installed }) => installed && id === lastAgent())?.id
  return known(wanted) ?? last ?? agents.find(({ installed }) => installed)?.id ?? agents[0]?.id
}

function presetChoices(agent: string | undefined, cwd: string | undefined): Choices {
  const choices = readChoices(agent ?? '')
  return cwd === undefined ? choices : { ...choices, cwd }
}

interface Places {
  readonly roots: readonly string[]
  readonly home: string
}

/** The folders that can be browsed. */
function usePlaces(): Places | undefined {
  const [places, setPlaces] = useState<Places>()
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    api.get('/api/files/roots').then(setPlaces, () => {
      // A path can be typed all the same.
    })
  }, [isOnline])
  return places
}

const keptName = 'agents'

/** The agents that can be started, installed ones first. */
function useAgents(): {
  readonly agents: readonly AgentInfo[] | undefined
  readonly error: ApiError | undefined
} {
  const [agents, setAgents] = useState<readonly AgentInfo[]>()
  const [error, setError] = useState<ApiError>()
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    let isGone = false
    const show = (all: readonly AgentInfo[]): void => {
      if (isGone) return
      const startable = all.filter((agent) => startChannels(agent).length > 0)
      setAgents(startable.toSorted((left, right) => Number(right.installed) - Number(left.installed)))
    }
    api.get('/api/agents').then(
      ({ agents: all }) => {
        void cache.put(keptName, all)
        setError(undefined)
        show(all)
      },
      async (problem: unknown) => {
        if (!isGone) setError(problem instanceof ApiError ? problem : undefined)
        const all = await cache.get<AgentInfo[]>(keptName)
        if (all) show(all)
      },
    )
    return () => {
      isGone = true
    }
  }, [isOnline])
  return { agents, error }
}
