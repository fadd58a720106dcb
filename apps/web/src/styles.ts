/**
 * All styles, in their order. They are loaded at once, also those of pages whose code is loaded later. The bundler would make a file of
 * styles for each such page, and nothing would load it.
 */
import './design/page.css';
import './computers/computers.css';
import './equipment/equipment.css';
import './labels/labels.css';
import './bench/bench.css';
import './queue/queue.css';
import './schedule/schedule.css';
import './submit/submit.css';
import './usage/usage.css';
import './work/work.css';
