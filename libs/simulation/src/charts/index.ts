/** Gantt charts of a record. */

export { ganttSvg } from './gantt-svg.js';
export { type Drawn, ganttText } from './gantt-text.js';
