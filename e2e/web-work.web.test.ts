/** Tests of the page about work and things, over a service of their own, in this order. */
import './web/work.js';
import './web/work-list.js';
import './web/optimizer.js';
import './web/submit.js';
import './web/schedule.js';
import './web/queue.js';
import './web/resources.js';
import './web/usage.js';
import './web/bench.js';
import './web/long-lists.js';
