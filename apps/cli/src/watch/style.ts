import { styleText } from 'node:util';
import type { RunState, TaskRunState } from '@lab/contracts';

type Color = Parameters<typeof styleText>[0];

/** Colours, only on a terminal that supports them. */
const colored = process.stdout.isTTY && process.stdout.hasColors();

function paint(color: Color, text: string): string {
  return colored ? styleText(color, text) : text;
}

const colorOf: Record<TaskRunState | RunState, Color> = {
  created: 'gray',
  queued: 'gray',
  running: 'cyan',
  paused: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'yellow',
  skipped: 'gray',
  needs_attention: 'magenta',
};

/** A state in its colour. */
export function paintState(state: TaskRunState | RunState): string {
  return paint(colorOf[state], state);
}

/** One character for a state. */
export function glyphOf(state: TaskRunState): string {
  const glyphs: Record<TaskRunState, string> = {
    created: '·',
    queued: '○',
    running: '◐',
    completed: '●',
    failed: '✗',
    cancelled: '⊘',
    skipped: '–',
    needs_attention: '?',
  };
  return paint(colorOf[state], glyphs[state]);
}

/** A bar of `width` characters, filled to `fraction` (0 to 1). */
export function progressBar(fraction: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return paint('green', '█'.repeat(filled)) + paint('gray', '░'.repeat(width - filled));
}

/** A few cells in a color; empty where colors are not shown. */
export function swatch(rgb: readonly [number, number, number]): string {
  if (!process.stdout.isTTY || !process.stdout.hasColors(2 ** 24)) return '';
  const [r, g, b] = rgb.map((value) => Math.round(Math.min(255, Math.max(0, value))));
  return `\u001b[48;2;${r};${g};${b}m    \u001b[0m  `;
}

export function heading(text: string): string {
  return paint('bold', text);
}

export function faint(text: string): string {
  return paint('gray', text);
}
