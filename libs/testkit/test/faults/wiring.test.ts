import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agentTimings } from '@lab/agent-wiring';
import { leaderTimings } from '@lab/leader-wiring';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The simulator and the processes use the same wiring: neither declares its own adapter or time. */

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const sourcesIn = (folder: string): { path: string; text: string }[] =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(`${root}${folder}/${path}`, 'utf8') }));

/** Names that a file imports from a package. */
function importedFrom(text: string, specifier: string): string[] {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement)) return [];
    if ((statement.moduleSpecifier as ts.StringLiteral).text !== specifier) return [];
    const named = statement.importClause?.namedBindings;
    return named !== undefined && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : [];
  });
}

const importedIn = (folder: string, specifier: string): Set<string> =>
  new Set(sourcesIn(folder).flatMap(({ text }) => importedFrom(text, specifier)));

const simulator = 'libs/testkit/src/faults';

describe('the fault simulator', () => {
  it('connects agents with the same function as the processes', () => {
    expect(importedIn(simulator, '@lab/agent-wiring')).toContain('wireAgent');
    expect(importedIn('apps/agent/src', '@lab/agent-wiring')).toContain('wireAgent');
  });

  it('leads with the same leadership, engine, handlers, announcement and directory of workers as the processes', () => {
    const shared = [
      'Leadership',
      'OptimizerDirectory',
      'announceLeadership',
      'engineHandlers',
      'engineListeners',
      'engineUnder',
    ];
    expect([...importedIn(simulator, '@lab/leader-wiring')]).toEqual(expect.arrayContaining(shared));
    expect([...importedIn('apps/orchestrator/src', '@lab/leader-wiring')]).toEqual(
      expect.arrayContaining(shared),
    );
  });

  it('asks the leader for people with the same class as the gateway', () => {
    for (const folder of [simulator, 'apps/gateway/src'])
      expect([...importedIn(folder, '@lab/messaging')], folder).toEqual(
        expect.arrayContaining(['LeaderRequests', 'LeaderWatch']),
      );
  });

  it('implements no port of the bus itself', () => {
    const ports = ['Agents', 'Optimizers', 'OptimizerSession', 'Orchestrator', 'Peers', 'Announcer'];
    for (const folder of [simulator, 'apps/agent/src', 'apps/orchestrator/src'])
      for (const specifier of ['@lab/actors', '@lab/engine'])
        expect(
          [...importedIn(folder, specifier)].filter((name) => ports.includes(name)),
          folder,
        ).toEqual([]);
  });

  it('takes the times of agents and leaders from the same object as the processes', () => {
    const declaresTime = /\b(const|let)\s+\w+Ms\s*=\s*[\d(]/;
    const declaring = ['libs/agent-wiring/src', 'libs/leader-wiring/src']
      .flatMap(sourcesIn)
      .flatMap(({ path, text }) => (declaresTime.test(text) ? [path] : []));
    expect(declaring).toEqual([]);
    const names = [...Object.keys(leaderTimings), ...Object.keys(agentTimings)];
    const declaresOne = new RegExp(`\\b(const|let)\\s+(${names.join('|')})\\s*=\\s*[\\d(]`);
    expect(sourcesIn(simulator).flatMap(({ path, text }) => (declaresOne.test(text) ? [path] : []))).toEqual(
      [],
    );
  });

  it('sends every message through the bus of @lab/messaging', () => {
    const requesting = sourcesIn(simulator).filter(({ text }) => /\bimplements (Bus|Wire)\b/.test(text));
    // The faults of the network lie between the bus and the broker, and are the only separate connection.
    expect(requesting.map(({ path }) => path)).toEqual([`${simulator}/surroundings/network.ts`]);
    expect(importedIn(simulator, '@lab/messaging/testing')).toContain('MemoryBroker');
  });
});
