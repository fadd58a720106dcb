/**
 * All styles, in their order. They are loaded at once, also those of pages whose code is loaded later: the bundler knows no styles
 * of a part that is loaded later, and all of them are small.
 */
import './design/page.css';
import './computers/computers.css';
import './equipment/equipment.css';
import './labels/labels.css';
import './bench/bench.css';
import './queue/queue.css';
import './schedule/schedule.css';
import './submit/submit.css';
import './work/work.css';
