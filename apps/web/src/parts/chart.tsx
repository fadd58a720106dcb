import type { ReactNode } from 'react';
import { useWords } from '../settings/index.js';

export interface ChartPoint {
  x: number;
  y: number;
  /** What the point is, for the pointer. */
  title: string;
  isMarked?: boolean;
}

const size = { width: 640, height: 260, left: 64, right: 12, top: 12, bottom: 32 };

/**
 * Points and a line over two axes. What a chart shows stands in a table as well, so that a screen reader reads its label alone.
 *
 * @param line its points in the order in which they are joined
 */
export function Chart({
  label,
  points,
  line,
  xName,
  yName,
}: {
  label: string;
  points: readonly ChartPoint[];
  line: readonly { x: number; y: number }[];
  xName: string;
  yName: string;
}): ReactNode {
  const words = useWords();
  const x = axisOf(
    points.map((point) => point.x),
    size.left,
    size.width - size.right,
  );
  const y = axisOf(
    points.map((point) => point.y),
    size.height - size.bottom,
    size.top,
  );
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="xMinYMin meet"
    >
      {y.ticks.map((tick) => (
        <g key={tick}>
          <line
            className="grid"
            x1={size.left}
            x2={size.width - size.right}
            y1={y.at(tick)}
            y2={y.at(tick)}
          />
          <text className="tick" x={size.left - 6} y={y.at(tick) + 4} textAnchor="end">
            {words.number(tick, 4)}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <text
          key={tick}
          className="tick"
          x={x.at(tick)}
          y={size.height - size.bottom + 16}
          textAnchor="middle"
        >
          {words.number(tick, 4)}
        </text>
      ))}
      <text className="tick" x={size.width - size.right} y={size.height - 2} textAnchor="end">
        {xName}
      </text>
      <text className="tick" x={4} y={size.top + 2}>
        {yName}
      </text>
      <path
        className="line"
        d={line.map((point, at) => `${at === 0 ? 'M' : 'L'}${x.at(point.x)} ${y.at(point.y)}`).join('')}
      />
      {points.map((point, at) => (
        <circle
          key={at}
          className={point.isMarked === true ? 'point marked' : 'point'}
          cx={x.at(point.x)}
          cy={y.at(point.y)}
          r={point.isMarked === true ? 4.5 : 3}
        >
          <title>{point.title}</title>
        </circle>
      ))}
    </svg>
  );
}

interface Axis {
  ticks: readonly number[];
  /** Place of a value in the drawing. */
  at(value: number): number;
}

function axisOf(values: readonly number[], from: number, to: number): Axis {
  let min = values.reduce((least, value) => Math.min(least, value), Infinity);
  let max = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (values.length === 0) [min, max] = [0, 1];
  if (min === max) [min, max] = [min - 0.5, max + 0.5];
  const step = stepOf((max - min) / 5);
  const first = Math.ceil(min / step);
  const ticks: number[] = [];
  // A tick is a product, so that 0.1 + 0.2 is not 0.30000000000000004.
  for (let count = first; count * step <= max; count += 1) ticks.push(Number((count * step).toPrecision(12)));
  return { ticks, at: (value) => from + ((value - min) / (max - min)) * (to - from) };
}

/** The least of 1, 2, 5, 10, ... times a power of ten that is not less. */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
