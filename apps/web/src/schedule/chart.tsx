import {
  barAt,
  linesOf,
  ticksOf,
  workTone,
  type ChainLine,
  type GanttBar,
  type GanttRow,
  type Hold,
  type Span,
} from '@lab/web-model';
import { memo, useEffect, useMemo, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { useWords } from '../settings/index.js';

/** Sizes in pixels of the page. */
const size = { row: 28, bar: 14, head: 24, names: 180, narrowNames: 96, tick: 90 };
/** A click this near to a bar hits it, in pixels. */
const slackPx = 4;

interface ChartProps {
  rows: readonly GanttRow[];
  /** What people hold, by the name of the row. */
  holds: ReadonlyMap<string, readonly Hold[]>;
  /** The critical chain, first to last. */
  chain: readonly GanttBar[];
  window: Span;
  /** Milliseconds since 1970. */
  now: number;
  label: string;
  onChoose(bar: GanttBar): void;
}

/**
 * Tasks over time, drawn on a canvas, because thousands of elements would be slow. It draws the rows that are seen alone. A table
 * beside it says the same for those who cannot see it.
 */
export const GanttChart = memo(function GanttChart({
  rows,
  holds,
  chain,
  window,
  now,
  label,
  onChoose,
}: ChartProps): ReactNode {
  const words = useWords();
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [top, setTop] = useState(0);
  const [view, setView] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
      setView(element.clientHeight);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const names = width < 500 ? size.narrowNames : size.names;
  const scale = (width - names) / (window.end - window.start);
  const marked = useMemo(() => new Set(chain), [chain]);
  const lines = useMemo(() => linesOf(rows, chain, now), [rows, chain, now]);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || width === 0) return;
    const text = (moment: number): string => words.time(moment, now);
    draw(element, { rows, holds, marked, lines, window, now, names, width, height: view, top, scale, text });
  });
  const barUnder = ({ nativeEvent: { offsetX: x, offsetY: y } }: PointerEvent): GanttBar | undefined => {
    if (x < names || y < size.head) return undefined;
    const row = rows[Math.floor((y - size.head + top) / size.row)];
    return row && barAt(row, window.start + (x - names) / scale, now, slackPx / scale);
  };
  return (
    <div
      ref={place}
      className="gantt"
      style={{ height: size.head + Math.max(1, rows.length) * size.row + 2 }}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <canvas
        ref={canvas}
        className="gantt-canvas"
        aria-hidden="true"
        onPointerMove={(event) => {
          // Not a state: drawing anew for each bar that a pointer crosses would be slow.
          const bar = barUnder(event);
          const sign = bar !== undefined && marked.has(bar) ? `, ${words.say('schedule.chain')}` : '';
          event.currentTarget.title = `${titleOf(bar)}${sign}`;
        }}
        onClick={(event) => {
          const bar = barUnder(event as unknown as PointerEvent);
          if (bar !== undefined) onChoose(bar);
        }}
      />
      <svg
        className="gantt-height"
        width="1"
        height={size.head + rows.length * size.row}
        aria-hidden="true"
      />
    </div>
  );
});

const titleOf = (bar: GanttBar | undefined): string =>
  bar === undefined ? '' : `${bar.task.label}: ${bar.task.state}`;

interface Drawing extends Pick<ChartProps, 'rows' | 'holds'> {
  /** Bars of the critical chain. */
  marked: ReadonlySet<GanttBar>;
  lines: readonly ChainLine[];
  window: Span;
  now: number;
  names: number;
  width: number;
  height: number;
  top: number;
  /** Pixels in a millisecond. */
  scale: number;
  text(moment: number): string;
}

function draw(
  canvas: HTMLCanvasElement,
  { rows, holds, marked, lines, window, now, names, width, height, top, scale, text }: Drawing,
): void {
  const ratio = globalThis.devicePixelRatio;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const colors = new Map<string, string>();
  // Thousands of bars have few colors, and the browser is slow to give one.
  const color = (name: string): string => {
    let value = colors.get(name);
    if (value === undefined) colors.set(name, (value = style.getPropertyValue(`--${name}`)));
    return value;
  };
  context.scale(ratio, ratio);
  context.font = `13px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  const at = (moment: number): number => names + (moment - window.start) * scale;

  context.save();
  context.beginPath();
  context.rect(names, 0, width - names, height);
  context.clip();
  const ticks = ticksOf(window, Math.max(2, Math.floor((width - names) / size.tick)));
  context.fillStyle = color('quiet');
  context.strokeStyle = color('line');
  for (const tick of ticks) {
    context.fillText(text(tick), at(tick) + 4, size.head / 2);
    line(context, at(tick), 0, at(tick), height);
  }
  context.restore();

  context.save();
  context.beginPath();
  context.rect(0, size.head, width, height - size.head);
  context.clip();
  const first = Math.floor(top / size.row);
  const last = Math.min(rows.length, Math.ceil((top + height) / size.row));
  for (let index = first; index < last; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    const y = size.head + index * size.row - top;
    context.fillStyle = color('text');
    context.fillText(shortened(context, row.name, names - 16), 8, y + size.row / 2);
    context.strokeStyle = color('line');
    line(context, 0, y + size.row, width, y + size.row);
    context.save();
    context.beginPath();
    context.rect(names, y, width - names, size.row);
    context.clip();
    for (const hold of holds.get(row.name) ?? []) {
      context.strokeStyle = color(hold.kind === 'reserved' ? 'warning' : 'idle');
      hatch(context, at(hold.start), at(hold.end ?? window.end), y);
    }
    for (const bar of row.bars) {
      drawBar(context, bar, y, at, now, color);
      if (marked.has(bar)) markBar(context, bar, y, at, now, color);
    }
    context.restore();
  }
  context.save();
  context.beginPath();
  context.rect(names, size.head, width - names, height - size.head);
  context.clip();
  context.strokeStyle = color('chain');
  context.lineWidth = 2;
  const middle = (place: number): number => size.head + (place + 0.5) * size.row - top;
  for (const { from, to, leaves, arrives } of lines) {
    if (Math.max(from, to) < first || Math.min(from, to) >= last) continue;
    line(context, at(leaves), middle(from), at(arrives), middle(from));
    line(context, at(arrives), middle(from), at(arrives), middle(to));
  }
  context.restore();
  context.strokeStyle = color('danger');
  context.lineWidth = 2;
  line(context, at(now), size.head, at(now), height);
  context.restore();
}

function drawBar(
  context: CanvasRenderingContext2D,
  { task, start, end, isActual, first, last }: GanttBar,
  y: number,
  at: (moment: number) => number,
  now: number,
  color: (name: string) => string,
): void {
  const tone = workTone(task.state);
  const { from, to } = sidesOf({ start, end }, at, now);
  const top = y + (size.row - size.bar) / 2;
  context.strokeStyle = color(tone);
  context.lineWidth = 1;
  if (isActual) {
    const done = task.ended_at === null ? Math.min(to, Math.max(from + 2, at(now))) : to;
    context.fillStyle = color(tone);
    context.fillRect(from, top, done - from, size.bar);
  }
  context.strokeRect(from + 0.5, top + 0.5, Math.max(1, to - from - 1), size.bar - 1);
  context.fillStyle = color('quiet');
  if (first !== undefined)
    context.fillRect(at(first.start), top + size.bar + 2, at(first.end) - at(first.start), 2);
  if (last !== undefined) context.fillRect(at(last.start), top - 4, at(last.end) - at(last.start), 2);
}

/** Left and right side of a bar in pixels. */
function sidesOf(
  { start, end }: Pick<GanttBar, 'start' | 'end'>,
  at: (moment: number) => number,
  now: number,
): { from: number; to: number } {
  const from = at(start);
  // A bar of no length would not be seen.
  return { from, to: Math.max(from + 2, at(end ?? Math.max(start, now))) };
}

/** A frame around a bar, with a gap so that it is seen beside a bar of any color, and a diamond at the start. */
function markBar(
  context: CanvasRenderingContext2D,
  bar: GanttBar,
  y: number,
  at: (moment: number) => number,
  now: number,
  color: (name: string) => string,
): void {
  const { from, to } = sidesOf(bar, at, now);
  const middle = y + size.row / 2;
  const frame = (distance: number, name: string): void => {
    context.strokeStyle = color(name);
    context.lineWidth = 2;
    const height = size.bar + 2 * distance;
    context.strokeRect(from - distance, middle - height / 2, to - from + 2 * distance, height);
  };
  frame(1, 'surface');
  frame(3, 'chain');
  const half = 5;
  const left = from - 3 - half;
  context.beginPath();
  context.moveTo(left - half, middle);
  context.lineTo(left, middle - half);
  context.lineTo(left + half, middle);
  context.lineTo(left, middle + half);
  context.closePath();
  context.fillStyle = color('chain');
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = color('surface');
  context.stroke();
}

/** A name that has room: without its laboratory if it must be, and else with its beginning alone. */
function shortened(context: CanvasRenderingContext2D, name: string, room: number): string {
  const fits = (text: string): boolean => context.measureText(text).width <= room;
  if (fits(name)) return name;
  let text = name.slice(name.indexOf('.') + 1);
  if (fits(text)) return text;
  while (text.length > 1 && !fits(`${text}…`)) text = text.slice(0, -1);
  return `${text}…`;
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** Slanted lines over the height of a row. */
function hatch(context: CanvasRenderingContext2D, from: number, to: number, y: number): void {
  const step = 8;
  context.save();
  context.beginPath();
  context.rect(from, y, to - from, size.row);
  context.clip();
  context.lineWidth = 1;
  const end = Math.min(to, context.canvas.width);
  for (let x = Math.max(0, from) - size.row; x < end; x += step)
    line(context, x, y + size.row, x + size.row, y);
  context.restore();
}
