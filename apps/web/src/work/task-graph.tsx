import type { TaskRunRecord } from '@lab/api-client';
import { edgesOf, workTone, type Edge } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useDefinition } from '../parts/index.js';
import { useWords } from '../settings/index.js';

/** Size of the box of a task in the drawing, in pixels. */
const box = { width: 176, height: 52 };
/** A drawing that is wider than its place shrinks to this share at most. Then it can be scrolled. */
const smallest = 0.75;

interface Drawing {
  width: number;
  height: number;
  places: ReadonlyMap<string, { x: number; y: number }>;
  paths: readonly string[];
}

/**
 * The tasks of a run in the order of their dependencies, with their states. The layout is that of layered graphs (Gansner et
 * al., A technique for drawing directed graphs, 1993). The list of tasks says the same in words, so that a screen reader skips the lines.
 */
export function TaskGraph({
  run,
  protocol,
  hash,
  tasks,
  chain,
}: {
  run: string;
  protocol: string;
  /** The definitions that the run was accepted with. */
  hash: string;
  tasks: readonly TaskRunRecord[];
  /** Names of the tasks that decide when the run ends. */
  chain: readonly string[];
}): ReactNode {
  const words = useWords();
  const definition = useDefinition('protocol', protocol);
  const drawing = useDrawing(
    definition?.definition,
    tasks.map(({ name }) => name),
  );
  if (definition === undefined) return null;
  if (definition?.definition == null) return <p className="hint">{words.say('run.graph.none')}</p>;
  if (drawing === undefined) return null;
  const { width, height, places, paths } = drawing;
  return (
    <>
      {definition.hash !== hash && <p className="hint">{words.say('run.graph.changed')}</p>}
      <div className="scroll graph" tabIndex={0} role="region" aria-label={words.say('run.graph')}>
        <svg
          {...{ width, height, viewBox: `0 0 ${width} ${height}` }}
          style={{ maxWidth: `max(100%, ${width * smallest}px)` }}
        >
          <g aria-hidden="true">
            {paths.map((path) => (
              <path key={path} d={path} className="edge" />
            ))}
          </g>
          {tasks.map((task) => {
            const place = places.get(task.name);
            if (place === undefined) return null;
            return (
              <foreignObject
                key={task.id}
                x={place.x - box.width / 2}
                y={place.y - box.height / 2}
                width={box.width}
                height={box.height}
              >
                <Link
                  to="/runs/$name/tasks/$task"
                  params={{ name: run, task: task.name }}
                  className={`node tone-${workTone(task.state)} ${chain.includes(task.name) ? 'decides' : ''}`}
                  title={task.name}
                >
                  <span className="node-name">{task.name}</span>
                  <span className="node-state">{words.state(task.state)}</span>
                </Link>
              </foreignObject>
            );
          })}
        </svg>
      </div>
    </>
  );
}

/** The layout, made by a part of the page that is loaded when it is first needed. */
function useDrawing(definition: unknown, names: readonly string[]): Drawing | undefined {
  const key = names.join('\n');
  const edges = useMemo(() => edgesOf(definition, key.split('\n')), [definition, key]);
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let isWanted = true;
    void draw(key.split('\n'), edges).then((made) => {
      if (isWanted) setDrawing(made);
    });
    return () => {
      isWanted = false;
    };
  }, [key, edges]);
  return drawing;
}

async function draw(names: readonly string[], edges: readonly Edge[]): Promise<Drawing> {
  const { Graph, layout } = await import('@dagrejs/dagre');
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 48, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of names) graph.setNode(name, { ...box });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    places: new Map(names.map((name) => [name, graph.node(name) as { x: number; y: number }])),
    paths: edges.map(({ from, to }) =>
      (graph.edge(from, to) as { points: { x: number; y: number }[] }).points
        .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
        .join(''),
    ),
  };
}
