import { describe, expect, it } from 'vitest';
import { TaskGraph } from '../../src/files/task-graph.js';

const graph = (edges: Record<string, string[]>): TaskGraph => new TaskGraph(new Map(Object.entries(edges)));

describe('TaskGraph', () => {
  it('sorts each task after its dependencies and otherwise keeps the order of the file', () => {
    expect(graph({ d: ['b', 'c'], a: [], c: ['a'], b: ['a'], e: [] }).sorted()).toEqual([
      'a',
      'c',
      'b',
      'd',
      'e',
    ]);
  });

  it('gives the ancestors through all dependencies', () => {
    expect([...graph({ a: [], b: ['a'], c: ['b', 'gone'] }).ancestors('c')].sort()).toEqual(['a', 'b']);
  });

  it('reports each circle once by its shortest path', () => {
    const cycles = graph({ a: ['b'], b: ['c', 'a'], c: ['a'], d: ['d'], e: ['a'], f: [] }).cycles();
    expect(cycles).toEqual([['a', 'b'], ['d']]);
  });

  it('keeps tasks on circles at the end', () => {
    expect(graph({ a: ['b'], b: ['a'], c: [] }).sorted()).toEqual(['c', 'a', 'b']);
  });
});
