import type { ScheduledTask } from '@lab/api-client';
import { dependenciesOf, PlanChains, type ChainBar, type Dependencies, type Hold } from '@lab/web-model';
import { useEffect, useMemo, useState } from 'react';
import { client } from '../lab/index.js';

/** Runs and campaigns whose dependencies are read at most: a chain may go through the work of days. */
const mostRead = 50;

export interface ShownChain {
  /** undefined: no run has a bar. */
  run: string | undefined;
  chain: readonly ChainBar[];
  /** All runs with a bar, the one that ends last first. */
  runs: readonly string[];
  /** Runs and campaigns of the chain whose dependencies cannot be read, or are too many to be read. */
  unread: readonly string[];
}

const noChain: ShownChain = { run: undefined, chain: [], runs: [], unread: [] };

/**
 * The critical chain of a run among the tasks that are shown. It reads the dependencies of the runs that the chain comes through,
 * one by one backwards, because the schedule does not tell them.
 *
 * @param run undefined: the run that ends last
 * @param holds by device or resource
 * @param now end of a task whose end nobody knows, in milliseconds since 1970
 * @param isOn false: no chain is wanted
 */
export function useChain(
  tasks: readonly ScheduledTask[],
  run: string | undefined,
  holds: ReadonlyMap<string, readonly Hold[]>,
  now: number,
  isOn: boolean,
): ShownChain {
  /** By {@link groupOf}; null: they cannot be read. */
  const [known, setKnown] = useState<ReadonlyMap<string, Dependencies | null>>(new Map());
  const chains = useMemo(() => (isOn ? new PlanChains(tasks, now) : undefined), [isOn, tasks, now]);
  const shown = useMemo((): ShownChain => {
    const chosen = run ?? chains?.runs[0];
    if (chains === undefined || chosen === undefined) return noChain;
    const dependenciesOfTask = (task: ScheduledTask): Dependencies | undefined =>
      known.get(groupOf(task)) ?? undefined;
    const chain = chains.chainOf(chosen, { dependenciesOf: dependenciesOfTask, holds });
    const groups = new Set(
      chain.flatMap(({ bar: { task } }) => (task.protocol_run === null ? [] : groupOf(task))),
    );
    const isFull = known.size >= mostRead;
    const unread = [...groups].filter((group) => (known.has(group) ? known.get(group) === null : isFull));
    return { run: chosen, chain, runs: chains.runs, unread };
  }, [chains, run, known, holds]);
  const wanted = shown.chain.find(
    ({ bar: { task } }) => task.protocol_run !== null && !known.has(groupOf(task)),
  )?.bar.task;
  const [group, member] =
    wanted === undefined || known.size >= mostRead ? [] : [groupOf(wanted), wanted.protocol_run];
  useEffect(() => {
    if (group === undefined || member === undefined || member === null) return undefined;
    const end = new AbortController();
    readDependencies(member, end.signal).then(
      (found) => setKnown((before) => new Map(before).set(group, found)),
      () => {
        if (!end.signal.aborted) setKnown((before) => new Map(before).set(group, null));
      },
    );
    return () => end.abort();
  }, [group, member]);
  return shown;
}

/** The runs of a campaign have one protocol, which is read once. */
const groupOf = ({ campaign, protocol_run: run, label }: ScheduledTask): string => campaign ?? run ?? label;

async function readDependencies(run: string, signal: AbortSignal): Promise<Dependencies> {
  const { type: name } = await client.get('/api/protocols/{protocol_run_name}', {
    ...{ path: { protocol_run_name: run }, signal },
  });
  const path = { type: 'protocol', name } as const;
  return dependenciesOf((await client.get('/api/definitions/{type}/{name}', { path, signal })).definition);
}
