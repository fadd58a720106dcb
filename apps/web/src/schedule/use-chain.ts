import type { ScheduledTask } from '@lab/api-client';
import { dependenciesOf, PlanChains, type ChainBar, type Dependencies, type Hold } from '@lab/web-model';
import { useEffect, useMemo, useState } from 'react';
import { client } from '../lab/index.js';

/** Runs and campaigns of a chain whose dependencies are read at most: a chain may go through the work of days. */
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

interface Found extends ShownChain {
  /** A task of the chain whose dependencies are to be read next. */
  next: ScheduledTask | undefined;
}

const noChain: Found = { run: undefined, chain: [], runs: [], unread: [], next: undefined };

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
  const [protocols] = useState(() => new Map<string, Promise<Dependencies>>());
  const chains = useMemo(() => (isOn ? new PlanChains(tasks, now) : undefined), [isOn, tasks, now]);
  const shown = useMemo((): Found => {
    const chosen = run ?? chains?.runs[0];
    if (chains === undefined || chosen === undefined) return noChain;
    const dependenciesOfTask = (task: ScheduledTask): Dependencies | undefined =>
      known.get(groupOf(task)) ?? undefined;
    const chain = chains.chainOf(chosen, { dependenciesOf: dependenciesOfTask, holds });
    const inRuns = chain.map(({ bar }) => bar.task).filter((task) => task.protocol_run !== null);
    const groups = [...new Set(inRuns.map(groupOf))];
    const isFull = groups.filter((group) => known.has(group)).length >= mostRead;
    return {
      ...{ run: chosen, chain, runs: chains.runs },
      unread: groups.filter((group) => (known.has(group) ? known.get(group) === null : isFull)),
      next: isFull ? undefined : inRuns.findLast((task) => !known.has(groupOf(task))),
    };
  }, [chains, run, known, holds]);
  const { next } = shown;
  const group = next && groupOf(next);
  const member = next?.protocol_run;
  useEffect(() => {
    if (group === undefined || member === undefined || member === null) return undefined;
    const end = new AbortController();
    readDependencies(member, protocols, end.signal).then(
      (found) => setKnown((before) => new Map(before).set(group, found)),
      () => {
        if (!end.signal.aborted) setKnown((before) => new Map(before).set(group, null));
      },
    );
    return () => end.abort();
  }, [group, member, protocols]);
  return shown;
}

/** The runs of a campaign have one protocol, which is read once. */
const groupOf = ({ campaign, protocol_run: run, label }: ScheduledTask): string => campaign ?? run ?? label;

/** @param protocols what was read before, which many runs share */
async function readDependencies(
  run: string,
  protocols: Map<string, Promise<Dependencies>>,
  signal: AbortSignal,
): Promise<Dependencies> {
  const { type: name } = await client.get('/api/protocols/{protocol_run_name}', {
    ...{ path: { protocol_run_name: run }, signal },
  });
  let read = protocols.get(name);
  if (read === undefined) {
    const path = { type: 'protocol', name } as const;
    read = client
      .get('/api/definitions/{type}/{name}', { path })
      .then(({ definition }) => dependenciesOf(definition));
    protocols.set(name, read);
    read.catch(() => protocols.delete(name));
  }
  return read;
}
